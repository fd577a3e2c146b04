// Owns the children of a run: accepted together, awaited together, or followed in the background.
import type { Clock } from '../../base/clock.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { withAbort } from '../../base/with-abort.ts';
import type { TaskPlace } from '../../journal/records.ts';
import type { DelegateBounds } from '../../tools/tool.ts';
import type { AgentRuntime } from '../agent-runtime.ts';
import type { ToolCallFacts } from '../caller.ts';
import { noticeIdOf } from '../delivery.ts';
import type { LeftInBackground } from '../journal/restored-task.ts';
import type { Run, TaskRecord } from '../state.ts';
import type { Steering } from '../steering.ts';
import { Background, type BackgroundOwner, type Completion } from './background.ts';
import { noticeOf } from './background-notice.ts';
import { letIn } from './reply-width.ts';

export type DelegationOptions = {
  readonly runtime: AgentRuntime;
  readonly clock: Clock;
  readonly steering: Steering;
  readonly submit: (
    parent: Run,
    tasks: readonly unknown[],
    call: ToolCallFacts & { readonly callId?: string | undefined },
  ) => readonly TaskRecord[];
  readonly recover: (place: TaskPlace, parent: Run) => Promise<TaskRecord | null>;
  readonly interrupt: (taskId: string, reason: string) => Promise<unknown>;
} & Pick<BackgroundOwner, 'steer' | 'setPaused'>;

export class Delegation {
  readonly #options: DelegationOptions;

  constructor(options: DelegationOptions) {
    this.#options = options;
  }

  /** Its tasks in the background are its children, and end with it (X5); it receives each end that no call waited for, once. */
  backgroundOf(run: Run): Background {
    const { clock, steering, interrupt, steer, setPaused } = this.#options;
    run.background ??= new Background(clock, {
      submit: (task, { callId, ...call }) =>
        this.#submit(run, [task], { ...call, isBackground: true }, callId).entries,
      interrupt,
      steer,
      setPaused,
      notify: (text) => steering.notify(run.task, text),
      ended: (completion) => this.#notify(run, completion),
      acknowledged: (taskId) => {
        if (run.task.written.log !== null) run.received.push(taskId);
      },
      areEnding: () => run.cause !== null || run.signal.aborted,
    });
    return run.background;
  }

  #notify(run: Run, completion: Completion): () => void {
    const { task, background, cause, record } = run;
    // A run that is ending takes no more messages, and its children end with it.
    if (background === null || cause !== null || record.end !== null) return () => {};
    const { steering } = this.#options;
    const id = noticeIdOf(task.id, completion.taskId);
    const { text, isWhole } = noticeOf(completion, background.unfinished());
    const delivered = steering.deliver(task, { id, text, source: 'background' });
    // A longer text is shortened in the message; the task keeps the whole until it is read.
    void delivered.then(
      (end) => end === 'taken' && isWhole && background.acknowledge(completion.id),
    );
    return () => steering.retract(task, id);
  }

  /** What a run had started before a restart, and does not ask for again, goes on in its background, or waits there to be read. */
  adopt(run: Run, { places, unread }: LeftInBackground): void {
    const background = this.backgroundOf(run);
    for (const { isNoticed, ...end } of unread) background.addEnded(end, isNoticed);
    const recovered = places.map(async (place) => {
      const task = await this.#options.recover(place, run);
      if (task !== null && !task.isEnded) background.add(task);
    });
    background.expect(Promise.allSettled(recovered).then(() => {}));
  }

  /** A tool that missed the end of its run may go on; what it starts now would never be ended (S8). */
  #submit(
    parent: Run,
    tasks: readonly unknown[],
    { callId, ...call }: ToolCallFacts & { readonly callId?: string },
    /** What started them, for a restart to find them again. */
    startedBy: string | undefined = callId,
  ): { readonly entries: readonly TaskRecord[]; readonly ended: () => void } {
    if (parent.task.isEnded) throw runIsOver(parent.path);
    if (parent.branch.children.size + tasks.length > maxChildren) throw tooManyChildren(parent);
    const submit = (ofReply: number) =>
      this.#options.submit(parent, tasks, { ...call, callId: startedBy, ofReply });
    return letIn(parent, tasks.length, submit, callId);
  }

  /** Children of an agent: accepted together, awaited together, interrupted when their call ends first. */
  async delegate(
    parent: Run,
    tasks: readonly unknown[],
    signal: AbortSignal,
    { callId, maxConcurrentChildren: maxWidth }: DelegateBounds & { readonly callId: string },
  ): Promise<readonly Outcome[]> {
    const { interrupt, runtime } = this.#options;
    const call = { callId, width: tasks.length, maxWidth, signal };
    const { entries, ended } = this.#submit(parent, tasks, call);
    const giveUp = (): void => {
      // The operation that ends the parent ends them too; a second one would only repeat its signals.
      if (runtime.isInterrupting(parent.cell.address)) return;
      const { message } = toFailure(signal.reason, 'interrupted');
      const reason = `the call that delegated it was ended: ${message}`;
      for (const { id } of entries) void interrupt(id, reason);
    };
    try {
      return await withAbort(signal, giveUp, () =>
        Promise.all(entries.map(({ result }) => result)),
      );
    } finally {
      ended();
    }
  }
}

/** Children of one agent that have not ended, waiting or running, whatever else their limits let in. */
const maxChildren = 1_024;

function tooManyChildren({ path, branch }: Run): TroupeError {
  const text = `${path} has ${branch.children.size} tasks that have not ended, and may have ${maxChildren}: wait for some of them first`;
  return new TroupeError('max_queued', text, { retryable: true });
}

export function runIsOver(path: string): TroupeError {
  return new TroupeError('activation_ended', `the run of ${path} has ended`);
}
