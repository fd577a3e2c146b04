// Owns interrupts as their callers see them: what is ended by one decision, awaited, and its receipts (S4, S5, S9).
import { reasonOf } from '../actor/interrupt-reason.ts';
import type { InterruptOptions, InterruptReceipt, ReceiptStage } from '../actor/ref.ts';
import { copyData } from '../base/copy-data.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import { backgroundOf } from './branch.ts';
import { receiptOf } from './completion/outcomes.ts';
import type { Ending } from './ending.ts';
import type { SchedulerMessage } from './messages.ts';
import type { Agent, Branch, TaskRecord } from './state.ts';
import type { TaskRegistry } from './task-registry.ts';

export type InterruptsOptions = {
  readonly registry: TaskRegistry;
  readonly events: EventBus;
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class Interrupts {
  readonly #options: InterruptsOptions;

  constructor(options: InterruptsOptions) {
    this.#options = options;
  }

  /**
   * Ends a task, whatever its state; waiting descendants end with it (S4, S8). Scope `subtree` also ends what it has in
   * the background, even when the task itself has ended before (S5).
   */
  async interrupt(
    task: TaskRecord,
    options: InterruptOptions = {},
  ): Promise<readonly InterruptReceipt[]> {
    const { events, dispatch } = this.#options;
    const reason = reasonOf(options);
    const error = failure('interrupted', reason);
    const { run, branch } = task;
    if (task.isEnded) {
      const below = branch === null ? [] : await this.interruptBackground(branch, options);
      return [receiptOf(task, 'already_dead'), ...below];
    }
    if (run === null) {
      dispatch({ type: 'end_waiting', task, end: { exitReason: 'interrupted', error } });
      await this.#written();
      return [receiptOf(task, 'not_started')];
    }
    const ending = endingOf('interrupt', { ...options, reason }, error);
    dispatch({ type: 'interrupt', run, ending });
    // In the same turn of the loop: nothing can start in between, and all have one deadline (S4).
    const background = this.interruptBackground(run.branch, { ...options, reason });
    const ended = (await ending.receipts) ?? [];
    // A persistent agent's run that is parked ends when it has a slot again; every other one when its actor has ended.
    if (run.agent.lifetime === 'task' || !run.agent.isParked) await task.result;
    const receipts = [...(await this.#receipts(task, ended, ending)), ...(await background)];
    await this.#written();
    const { path: target, subject } = run;
    events.emit('interrupt_completed', subject, { target, receipts: receipts.length });
    return receipts;
  }

  /** The same by the id of a task; does nothing when the task has ended. */
  async interruptTask(
    taskId: string,
    options: InterruptOptions,
  ): Promise<readonly InterruptReceipt[]> {
    const task = this.#options.registry.tasks.get(taskId);
    return task === undefined ? [] : this.interrupt(task, options);
  }

  /** Ends what runs below have in the background, with scope `subtree`; none of it with any other. */
  async interruptBackground(
    branch: Branch,
    options: InterruptOptions,
  ): Promise<readonly InterruptReceipt[]> {
    if (options.scope !== 'subtree') return [];
    const tasks = [...backgroundOf(branch)];
    return (await Promise.all(tasks.map((task) => this.interrupt(task, options)))).flat();
  }

  /** Ends a persistent agent with its run and all that waits for it. */
  async endAgent(
    agent: Agent,
    by: Ending['by'],
    options: Ending['options'],
    error: Failure,
  ): Promise<readonly InterruptReceipt[]> {
    const { run } = agent;
    const ending = endingOf(by, options, error);
    this.#options.dispatch({ type: 'end_agent', agent, ending });
    const ended = (await ending.receipts) ?? [];
    await run?.task.result;
    await this.#written();
    return this.#receipts(run?.task ?? null, ended, ending);
  }

  /** Receipts wait until what they say is durable (J3). Where it never will be the supervisor closes, and they say what ended here. */
  #written(): Promise<void> {
    const { dispatch } = this.#options;
    return new Promise((resolve) => {
      dispatch({ type: 'when_written', waiter: { resolve, reject: () => resolve() } });
    });
  }

  /**
   * The receipts with the runs' outcomes: partial work, and completions that the interrupt raced (S4, S9). A run below
   * whose actor had ended before, and which only had to report its children's outcomes, has one too.
   */
  async #receipts(
    task: TaskRecord | null,
    ended: readonly InterruptReceipt[],
    { running, waiting }: Ending,
  ): Promise<readonly InterruptReceipt[]> {
    const interrupted = task === null ? running : [task, ...running];
    const outcomes = await Promise.all(interrupted.map(({ result }) => result));
    // Not all of a wide tree is kept once it has ended.
    const byAgent = new Map(outcomes.map((outcome) => [outcome.agent.id, outcome]));
    const { history } = this.#options.registry;
    const known = new Set(ended.map(({ agentId }) => agentId));
    const before = running
      .map((task) => receiptOf(task, 'already_dead'))
      .filter(({ agentId }) => !known.has(agentId));
    const informed = [...ended, ...before].map((receipt) => {
      const { agentId } = receipt;
      const outcome = byAgent.get(agentId) ?? history.lastOf(agentId)?.outcome;
      if (outcome === undefined) return receipt;
      const partial = copyData(outcome.partial ?? null);
      return { ...receipt, stage: stageAfter(receipt, outcome), partial };
    });
    return [...informed, ...waiting];
  }
}

function endingOf(by: Ending['by'], options: Ending['options'], error: Failure): Ending {
  return { by, options, error, running: [], waiting: [], receipts: null };
}

/** An actor's receive carries less than its run: it ends normally also when the run was interrupted inside it. */
function stageAfter({ stage }: InterruptReceipt, outcome: Outcome): ReceiptStage {
  if (stage === 'interrupted' && outcome.exitReason === 'goal') return 'completed';
  if (stage === 'completed' && outcome.status === 'interrupted') {
    return outcome.turns === 0 ? 'not_started' : 'interrupted';
  }
  return stage;
}
