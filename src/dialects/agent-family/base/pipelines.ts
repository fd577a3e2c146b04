// Owns two ways of asking several agents: one after another, and all with the same (D8).
import { toFailure } from '../../../base/failures.ts';
import type { AgentBase } from './agent-base.ts';
import type { ReplyOptions } from './hook-types.ts';
import { copyInput, type Msg, type MsgInput } from './msg.ts';

/**
 * Asks the agents one after another, each with the reply of the one before, and resolves with the last reply; with the input
 * itself where there is no agent. Rejects what a reply rejects: the agents after it are not asked.
 */
export async function sequentialPipeline(
  agents: readonly AgentBase[],
  input?: MsgInput,
  options?: ReplyOptions,
): Promise<MsgInput> {
  let last = copyInput(input);
  for (const agent of agents) last = await agent.reply(last, options);
  return last;
}

/**
 * Asks all agents at once with the same input, and resolves with their replies in the order of the agents. The first that
 * rejects interrupts the others; it rejects with that error once all have ended.
 */
export async function fanoutPipeline(
  agents: readonly AgentBase[],
  input?: MsgInput,
  options?: ReplyOptions,
): Promise<readonly Msg[]> {
  const given = copyInput(input);
  const asked = agents.map(async (agent) => agent.reply(copyInput(given), options));
  try {
    return await Promise.all(asked);
  } catch (thrown) {
    const { message } = toFailure(thrown);
    for (const agent of agents) agent.interrupt(`another agent of the pipeline failed: ${message}`);
    await Promise.allSettled(asked);
    throw thrown;
  }
}
