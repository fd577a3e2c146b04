// Runs the promises of a host on threads.
import { agentHostContract } from '../contracts/agent-host.ts';

agentHostContract('thread');
