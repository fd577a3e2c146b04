// Owns what an agent of the family needs of whoever runs its replies: one task each. A supervisor fits as it is.
import type { InterruptOptions } from '../../../actor/ref.ts';
import type { AgentDefinition } from '../../../agent/definition.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { TroupeEvent } from '../../../events/events.ts';
import type { Message } from '../../../models/model.ts';

/** A reply's task: all it says of its run is in the definition. */
export type ReplyTask = {
  readonly goal: string;
  readonly agent: AgentDefinition;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export interface RunningTask {
  /** Its events carry it; what is never told by that id is not printed while it runs. */
  readonly id: string;
  /** Never rejects. */
  result(): Promise<Outcome>;
  /** Resolves when the run has ended, in bounded time; null for one that only whoever called for it ends. */
  interrupt(options?: InterruptOptions): Promise<unknown> | null;
}

export interface TaskRunner {
  start(task: ReplyTask): RunningTask;
  on<Type extends 'turn_started' | 'model_delta' | 'turn_committed'>(
    type: Type,
    listener: (event: TroupeEvent<Type>) => unknown,
  ): () => void;
  /** What a run has said and heard, by the task's id. */
  transcript(taskId: string): readonly Message[];
}
