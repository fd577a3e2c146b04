// Owns what the owner of background tasks may do with them: an agent through its tools, or a loop of the program.
import { copyData } from '../../base/copy-data.ts';
import { TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { BackgroundTasks, Subtask } from '../../tools/tool.ts';
import type { TaskRecord } from '../state.ts';
import type { Background } from './background.ts';

export type BackgroundOwner = {
  readonly background: Background;
  /** Accepts a task in the owner's name; `width` is how many it would then have. Throws what is wrong with it. */
  submit(task: Subtask, width: number): TaskRecord;
  interrupt(taskId: string, reason: string): Promise<unknown>;
  /** Sends a message to its run; false when there is no run to receive it. */
  notify(text: string): boolean;
  /** The call that asks is over. */
  readonly signal: AbortSignal;
  /** True when the tasks end with whatever ended the call: waiting for them is short, and their ends are its answer (S9). */
  areEnding(): boolean;
};

/** The calls of one owner. */
export function backgroundCalls(owner: BackgroundOwner): BackgroundTasks {
  const { background, submit, interrupt, notify, signal, areEnding } = owner;
  return {
    async start(task) {
      background.refuseWhenFull();
      refuseDuplicate(background, task);
      const entry = submit(task, background.running + 1);
      if (entry.outcome !== null) refuseRejected(entry.outcome);
      background.add(entry);
      return entry.id;
    },
    list: async () => background.list(),
    async wait(taskId, { timeoutMs } = {}) {
      try {
        return (await background.wait(taskId, { timeoutMs, signal }))?.outcome ?? null;
      } catch (reason) {
        if (!signal.aborted || !areEnding()) throw reason;
        return (await background.wait(taskId))?.outcome ?? null;
      }
    },
    async stop(taskId) {
      const entry = background.entryOf(taskId);
      // The caller of `stop` waits for the end itself, so no notice is sent.
      const ended = background.wait(taskId);
      await interrupt(taskId, 'it was stopped by whoever started it');
      await ended;
      return copyData(await entry.result);
    },
    notify: async (text) => notify(text),
  };
}

/** Running the same work twice costs twice: a caller that wants it sets another name or goal (F9). */
function refuseDuplicate(background: Background, task: Subtask): void {
  // A value that is no task is refused where tasks are checked, with a fitting message.
  if (typeof task?.goal !== 'string') return;
  const same = background.runningLike(task);
  if (same === null) return;
  throw new TroupeError(
    'duplicate_task',
    `background task ${same.id} does this already and still runs: wait for it, or ask for something else`,
  );
}

/** A task that met a limit has not begun: throws its error to the caller at once. */
function refuseRejected({ exitReason, error }: Outcome): void {
  if (exitReason !== 'rejected' || error === undefined) return;
  throw TroupeError.from(error);
}
