// Owns the children of a run: accepted together, awaited together, or followed in the background.
import type { Clock } from '../../base/clock.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { withAbort } from '../../base/with-abort.ts';
import type { BackgroundTasks, DelegateBounds } from '../../tools/tool.ts';
import type { AgentRuntime } from '../agent-runtime.ts';
import type { Run, TaskRecord, ToolCallFacts } from '../state.ts';
import type { SteeringQueue } from '../steering-queue.ts';
import { backgroundCalls } from './background-calls.ts';
import { backgroundOf } from './background-notice.ts';
import { letIn } from './reply-width.ts';

export type DelegationOptions = {
  readonly runtime: AgentRuntime;
  readonly clock: Clock;
  readonly steering: SteeringQueue;
  readonly submit: (
    parent: Run,
    tasks: readonly unknown[],
    call: ToolCallFacts,
  ) => readonly TaskRecord[];
  readonly interrupt: (taskId: string, reason: string) => Promise<unknown>;
};

export class Delegation {
  readonly #options: DelegationOptions;

  constructor(options: DelegationOptions) {
    this.#options = options;
  }

  /** What an agent may do with tasks in the background: they are its children, and end with its run (X5). */
  background(run: Run, signal: AbortSignal): BackgroundTasks {
    const { clock, steering, interrupt } = this.#options;
    run.background ??= backgroundOf(run, { clock, steering });
    return backgroundCalls({
      background: run.background,
      submit: (task, width) => {
        const [entry] = this.#submit(run, [task], { width, signal }).entries;
        if (entry === undefined) throw new TroupeError('internal', 'a task has no entry');
        return entry;
      },
      interrupt,
      notify: (text) => steering.notify(run.task, text),
      signal,
      areEnding: () => run.cause !== null || run.signal.aborted,
    });
  }

  /** A tool that missed the end of its run may go on; what it starts now would never be ended (S8). */
  #submit(
    parent: Run,
    tasks: readonly unknown[],
    { callId, ...call }: ToolCallFacts & { readonly callId?: string },
  ): { readonly entries: readonly TaskRecord[]; readonly ended: () => void } {
    if (parent.task.isEnded) throw runIsOver(parent.path);
    if (parent.branch.children.size + tasks.length > maxChildren) throw tooManyChildren(parent);
    const submit = (ofReply: number) => this.#options.submit(parent, tasks, { ...call, ofReply });
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
