// Owns how the hooks of an agent become hooks of its run: reasoning is a turn, acting a tool call (D5, D15).
import type { Hooks } from '../../../agent/hooks.ts';
import { TroupeError } from '../../../base/failures.ts';
import { unlessAborted } from '../../../base/with-abort.ts';
import type { HookArgs, HookOutputs } from '../base/hook-types.ts';
import { createMsg, type MsgOptions } from '../base/msg.ts';
import type { RunMemory } from './run-memory.ts';

/** What the run's hooks need of their agent. */
export type HookedAgent = {
  readonly speaker: Pick<MsgOptions, 'name' | 'clock'>;
  readonly hasReasoning: boolean;
  readonly hasActing: boolean;
  /** What the model is reminded of ahead of this turn; null for nothing. */
  hint(): Promise<string | null>;
  readonly hasHints: boolean;
  /** True when the tools are others now: this run asks its model nothing more, and another goes on. */
  isOver(turn: number): boolean;
  /** Ends the run from outside, and the hook that asked for it waits until it is given up; false when the hook has to. */
  end(): boolean;
  readonly mayBeOver: boolean;
  preReasoning(args: HookArgs['reasoning']): Promise<HookArgs['reasoning']>;
  postReasoning(args: HookArgs['reasoning'], output: HookOutputs['reasoning']): Promise<unknown>;
  preActing(args: HookArgs['acting']): Promise<HookArgs['acting']>;
  postActing(
    args: HookArgs['acting'],
    output: HookOutputs['acting'],
  ): Promise<HookOutputs['acting']>;
};

/** Why a run ends whose agent has other tools now. */
export const goesOn = 'it goes on with other tools';

/** Hooks that exist only where the agent has something to say: each costs a trip to the thread and back. */
export function runHooks(agent: HookedAgent): Hooks {
  const { hasReasoning, hasActing, hasHints, mayBeOver } = agent;
  const seen = new Map<number, HookArgs['reasoning']>();
  const beforeTurn: Hooks['beforeTurn'] = async ({ turn, messages }, { signal }) => {
    if (agent.isOver(turn)) {
      if (!agent.end()) throw new TroupeError('interrupted', goesOn);
      await unlessAborted(signal, new Promise<never>(() => {}));
    }
    const hint = (await agent.hint()) ?? '';
    const args = await agent.preReasoning({ turn, messages, hint });
    if (hasReasoning) seen.set(turn, args);
    return args.hint === '' ? null : { append: args.hint };
  };
  const afterTurn: Hooks['afterTurn'] = async ({ turn, message }) => {
    const args = seen.get(turn) ?? { turn, messages: [], hint: '' };
    seen.delete(turn);
    const { content } = message;
    await agent.postReasoning(args, createMsg({ ...agent.speaker, role: 'assistant', content }));
  };
  const beforeTool: Hooks['beforeTool'] = async (call) => {
    const { input } = await agent.preActing(call);
    return Object.is(input, call.input) ? null : { input };
  };
  const afterTool: Hooks['afterTool'] = async ({ result, isError, ...call }) => {
    const shown = await agent.postActing(call, { result, isError });
    return typeof shown.result === 'string' && shown.result !== result
      ? { result: shown.result }
      : null;
  };
  return {
    ...(hasReasoning || hasHints || mayBeOver ? { beforeTurn } : {}),
    ...(hasReasoning ? { afterTurn } : {}),
    ...(hasActing ? { beforeTool, afterTool } : {}),
  };
}

/** Builds each request from the agent's memory where the run's own conversation is not the same. */
export function memoryHook(memory: Pick<RunMemory, 'request'>): Hooks {
  return {
    beforeTurn: async ({ messages }) => {
      const history = await memory.request(messages);
      return history === null ? null : { messages: history };
    },
  };
}
