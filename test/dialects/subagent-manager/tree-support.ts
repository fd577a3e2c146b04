// Shared arrangements of the tests of background tasks below an agent of the tree: a main agent that plays its parts. Starts no test.
import { z } from 'zod';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import {
  type AgentDefinition,
  defineAgent,
  defineTool,
  type SupervisorOptions,
} from '#src/index.js';
import { directing, lastGoalOf, type Parts, type Step } from '../../support/directed.ts';
import { folder, on } from './rig.ts';

const named = (name: string, tags: readonly string[] = []) =>
  defineTool({
    name,
    description: name,
    input: z.object({}),
    tags,
    run: () => `${name} was called`,
  });
const registered = [named('plain'), named('danger'), named('saw', ['sharp'])];

export const create = (name: string): Step => ({
  calls: [['create_subagent', { name, system_prompt: 'Work.', tools: ['plain', 'danger', 'saw'] }]],
});
export const send = (name: string, input: string): Step => ({
  calls: [['transfer_to_subagent', { name, input, background_task: true }]],
});
export const wait: Step = { calls: [['wait_for_subagent', { subagent_name: 'ada' }]] };
export const plain: Step = { calls: [['plain', {}]] };

/** A main agent of the tree, `lead` its goal, in the session `chat`; parts that loop repeat their last step. */
export function tree(
  parts: Parts,
  { main = {}, ...options }: Partial<SupervisorOptions> & { main?: Partial<AgentDefinition> } = {},
) {
  const made = directing(parts, { workspace: folder(), tools: registered, ...options }, lastGoalOf);
  const session = made.supervisor.session('chat');
  subagentManager(session).configure(on);
  const agent = defineAgent({ name: 'main', ...main, ...subagentManager(session).mainAgent() });
  const start = () => made.supervisor.start({ goal: 'lead', agent });
  return { ...made, session, agent, start };
}
