// Owns the pause of one task: a waiting one is skipped, a run pauses at the end of its turn, with its clocks (C46, V8).
import type { EventBus } from '../events/events.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { RunClocks } from './run-clocks.ts';
import type { Run, TaskRecord } from './state.ts';

export type TaskPauseOptions = {
  readonly events: EventBus;
  readonly runtime: Pick<AgentRuntime, 'control'>;
  readonly clocks: Pick<RunClocks, 'suspend'>;
};

export class TaskPause {
  readonly #options: TaskPauseOptions;
  /** How to resume the clocks of a paused run. */
  readonly #releases = new Map<TaskRecord, () => void>();

  constructor(options: TaskPauseOptions) {
    this.#options = options;
  }

  /** Pauses a task; one that is paused already, or over, is left as it is. */
  pause(entry: TaskRecord): void {
    if (entry.isEnded || entry.isPaused) return;
    entry.isPaused = true;
    const { run } = entry;
    if (run !== null) {
      // Its message may not have been handed over yet: then it does not begin.
      if (run.record.phase === 'starting') {
        run.cell.pause();
        this.#stopClocks(run);
      }
      this.#options.runtime.control(run.cell, { type: 'pause', runId: entry.id });
    }
    this.#publish('task_paused', entry);
  }

  /** Resumes a task; the caller then starts queued items that may start. */
  resume(entry: TaskRecord): void {
    if (entry.isEnded || !entry.isPaused) return;
    entry.isPaused = false;
    this.#release(entry);
    const { run } = entry;
    if (run !== null) {
      run.cell.resume();
      this.#options.runtime.control(run.cell, { type: 'resume', runId: entry.id });
    }
    this.#publish('task_resumed', entry);
  }

  onRunEvent(run: Run, event: RunEvent): void {
    // It may have been resumed while its run event was on the way.
    if (event.type === 'paused' && run.task.isPaused) this.#stopClocks(run);
    else if (event.type === 'went_on') this.#release(run.task);
  }

  /** The task is over: resumes the clocks that its pause suspended. */
  ended(entry: TaskRecord): void {
    this.#release(entry);
  }

  #stopClocks(run: Run): void {
    if (this.#releases.has(run.task)) return;
    this.#releases.set(run.task, this.#options.clocks.suspend(run, null));
  }

  #release(task: TaskRecord): void {
    this.#releases.get(task)?.();
    this.#releases.delete(task);
  }

  #publish(type: 'task_paused' | 'task_resumed', { run, id: taskId, depth }: TaskRecord): void {
    const subject = run?.subject ?? { taskId, depth };
    this.#options.events.emit(type, subject, {});
  }
}
