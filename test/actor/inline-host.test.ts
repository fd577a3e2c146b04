// Runs the promises of a host on the inline one.
import { agentHostContract } from '../contracts/agent-host.ts';

agentHostContract('inline');
