// Owns what an agent of the family needs of the runner of its replies: one task each. A supervisor fits as it is.
import type { InterruptOptions } from '../../../actor/ref.ts';
import type { AgentDefinition } from '../../../agent/definition.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { TroupeEvent } from '../../../events/event-types.ts';
import type { Message } from '../../../protocol/history.ts';

/** A reply's task: the definition contains everything about its run. */
export type ReplyTask = {
  readonly goal: string;
  readonly agent: AgentDefinition;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export interface RunningTask {
  /** The task's events carry it; a run without events of this id is not printed while it runs. */
  readonly id: string;
  /** Never rejects. */
  result(): Promise<Outcome>;
  /** Resolves when the run has ended, in bounded time; null for a run that only its caller can end. */
  interrupt(options?: InterruptOptions): Promise<unknown> | null;
}

export interface TaskRunner {
  start(task: ReplyTask): RunningTask;
  on<Type extends 'turn_started' | 'model_delta' | 'turn_committed'>(
    type: Type,
    listener: (event: TroupeEvent<Type>) => unknown,
  ): () => void;
  /** The messages of a run, by the task's id. */
  transcript(taskId: string): readonly Message[];
}
