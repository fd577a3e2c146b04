// Owns the data of the scheduler's model: its actors, and what decisions read of them. Starts no test.
import { failure } from '#src/base/failures.js';
import type { ToolResultBlock } from '#src/protocol/history.js';
import type { FromGateway } from '#src/protocol/model-messages.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import { CallAnswers } from '#src/tasks/call-answers.js';
import type { AgentSpec } from '#src/tasks/resolve/agent-spec.js';
import { type Agent, type Run, type TaskOrigin, TaskRecord } from '#src/tasks/state.js';
import { savedState } from '../support/saved-state.ts';

/** Slots of the model. */
export const maxLive = 4;

/** What decisions read of a spec. */
export const spec = {
  name: 'agent',
  modelId: 'model',
  rights: { isLeaf: false, warnings: [], names: new Set() },
  shared: { tools: [], toolSettings: {}, maxTurns: 50 },
  hostHooks: new Map(),
} as unknown as AgentSpec;

/** An actor as decisions see it, and how far it is. */
export type Actor = {
  readonly agent: Agent;
  readonly cell: {
    address: { id: string; path: string };
    state: { status: string };
    isOver: boolean;
  };
  /** `asked`: it has been asked to end. */
  status:
    | 'starting'
    | 'live'
    | 'parking'
    | 'parked'
    | 'asked'
    | 'passivating'
    | 'passivated'
    | 'over';
  calls: string[];
  /** Its run is interrupted, and the actor is not. */
  isCancelled: boolean;
};

/** How the model of a run without a thread answers. */
export type ModelAnswer = 'answer' | 'calls' | 'aborted';

export function messageOf(how: ModelAnswer): FromGateway {
  if (how === 'aborted') {
    return { type: 'model_failed', callId: 1, failure: failure('aborted', how) };
  }
  const text = { type: 'text', text: how } as const;
  const call = { type: 'tool_use', id: 'c1', name: 'delegate', input: {} } as const;
  const response = {
    content: how === 'calls' ? [text, call] : [text],
    stopReason: how === 'calls' ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: false,
    model: 'm',
  } as const;
  return { type: 'model_response', callId: 1, response, costUsd: null };
}

/** Gives a run what decisions read of its calls on the host. */
export function giveCalls(
  run: Run,
  facts: { readonly isOpen: (id: string) => boolean; readonly hasOpen: () => boolean },
): void {
  const { isOpen, hasOpen } = facts;
  const calls = {
    isWaiting: isOpen,
    isOpen: (_kind: string, id: string) => isOpen(id),
    isOutside: (id: string | null) => id !== null && isOpen(id),
    get areChildrenDue() {
      return hasOpen();
    },
    has: () => hasOpen(),
    isSuspended: false,
  };
  Object.defineProperty(run, 'calls', { value: calls });
}

/** A call has ended: the host keeps its result, which is returned as its model gets it. */
export function keepAnswer(run: Run, callId: string): ToolResultBlock {
  run.answers ??= new CallAnswers();
  run.answers.tools.set(callId, { content: 'done', isError: false });
  return { type: 'tool_result', tool_use_id: callId, content: 'done' };
}

/** The results of a turn are committed. */
export function resultsOf({ record: { turns: turn } }: Run, block: ToolResultBlock): RunEvent {
  const message = { role: 'user', content: [block] } as const;
  return { type: 'tool_results', turn, message, state: savedState({ turn }) };
}

/** How every call of the model ends. */
export const delegated = { name: 'delegate', isError: false, resultPreview: 'done' };

/** A task of the program, or of `origin`. */
export function taskOf(id: string, origin: Partial<TaskOrigin>): TaskRecord {
  const whole = { parent: null, index: 0, width: 1, ...origin };
  const facts = { id, task: { goal: 'any' }, origin: whole, acceptedAt: 0, agent: null };
  const task = new TaskRecord(facts);
  task.spec = spec;
  return task;
}
