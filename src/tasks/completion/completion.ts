// Owns how tasks end: a waiting one, a run with what is below it, an interrupt and its receipts. Starts nothing.
import type { Exit } from '../../actor/exit.ts';
import { reasonOf } from '../../actor/interrupt-reason.ts';
import type { InterruptOptions, InterruptReceipt, ReceiptStage } from '../../actor/ref.ts';
import { remembered } from '../../agent/memory-window.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { type Failure, failure, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { EventBus } from '../../events/events.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { AgentRuntime } from '../agent-runtime.ts';
import { backgroundOf, hasRunScoped, isDone } from '../branch.ts';
import { interruptRun } from '../interrupt-run.ts';
import type { OpenToolsets } from '../open-toolsets.ts';
import type { EndOfWaiting } from '../refusals.ts';
import type { SlotQueue } from '../slot-queue.ts';
import type { Agent, Branch, Run, TaskRecord } from '../state.ts';
import type { TaskRegistry } from '../task-registry.ts';
import { lastAnswers } from './last-answers.ts';
import { outcomeOf, outcomeOfWaiting, receiptOf } from './outcomes.ts';
import { runResultOf } from './run-result.ts';

export type CompletionOptions = {
  readonly registry: TaskRegistry;
  readonly openToolsets: OpenToolsets;
  readonly queue: SlotQueue;
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
  readonly clock: Clock;
  /** Writes down what is known of a run that timed out for no visible reason; null for every other one. Never throws. */
  readonly diagnose: (run: Run, outcome: Outcome) => string | null;
  /** Publishes a run event on behalf of a run whose thread can no longer send it. */
  readonly publish: (run: Run, event: RunEvent) => void;
  /** A persistent agent has ended a run and is free for the next. */
  readonly onFree: (agent: Agent) => void;
};

/** The exit of a run whose agent survives it. */
const survives: Exit = { reason: 'normal' };

export class Completion {
  readonly #options: CompletionOptions;

  constructor(options: CompletionOptions) {
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
    const { events, runtime } = this.#options;
    const reason = reasonOf(options);
    const error = failure('interrupted', reason);
    const { run, branch } = task;
    if (task.isEnded) {
      const below = branch === null ? [] : await this.interruptBackground(branch, options);
      return [receiptOf(task, 'already_dead'), ...below];
    }
    if (run === null) {
      this.endWaiting(task, { exitReason: 'interrupted', error });
      return [receiptOf(task, 'not_started')];
    }
    const { path: target, subject } = run;
    events.emit('interrupt_requested', subject, { scope: options.scope ?? 'run', reason, target });
    run.endFor('interrupted', error);
    const running = this.runsBelow(run);
    const waiting = this.endBelow(run, error);
    const ending = interruptRun(runtime, run, { ...options, reason });
    // In the same turn of the loop: nothing can start in between, and all have one deadline (S4).
    const background = this.interruptBackground(run.branch, { ...options, reason });
    const ended = await ending;
    // A persistent agent's run that is parked ends when it has a slot again; every other one when its actor has ended.
    if (run.agent.lifetime === 'task' || !run.agent.isParked) await task.result;
    await Promise.all(running.map(({ result }) => result));
    const receipts = [...this.receipts(ended, running), ...waiting, ...(await background)];
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

  /** The end of a task that never started. */
  endWaiting(task: TaskRecord, end: EndOfWaiting): void {
    if (task.isEnded) return;
    const { queue, clock, registry } = this.#options;
    const { agent, isCounted } = task;
    agent?.queue.delete(task);
    if (agent?.lifetime === 'task') queue.leave(agent);
    const { parent } = task.origin;
    if (isCounted && parent !== null) parent.root.treeTotal -= 1;
    registry.end(task, outcomeOfWaiting(task, end, clock.now()));
    if (parent === null) return;
    this.#endTreeIfDone(parent.root);
    this.finishIfDone(parent);
  }

  /** Ends all that waits for an agent. */
  endQueue(agent: Agent, end: EndOfWaiting): void {
    for (const task of [...agent.queue]) this.endWaiting(task, end);
  }

  /** Its budget lasts as long as anything is under it. */
  #endTreeIfDone(root: Run): void {
    if (isDone(root.branch)) this.#options.runtime.endTree(root.tree);
  }

  /**
   * Ends what waits below a run and marks what runs there; the running ones are the tree's to end. What is in the
   * background goes on.
   */
  endBelow(run: Run, error: Failure): readonly InterruptReceipt[] {
    const receipts: InterruptReceipt[] = [];
    for (const child of [...run.branch.children]) {
      if (child.scope === 'session') continue;
      if (child.run !== null) {
        child.run.endFor('interrupted', error);
        receipts.push(...this.endBelow(child.run, error));
      } else if (!child.isEnded) {
        this.endWaiting(child, { exitReason: 'interrupted', error });
        receipts.push(receiptOf(child, 'not_started'));
      }
    }
    return receipts;
  }

  /** The runs below a run: each still has to report its children's outcomes after its actor has ended. */
  runsBelow({ branch }: Run): readonly TaskRecord[] {
    return [...branch.children].flatMap((child) =>
      child.scope === 'session' || child.run === null ? [] : [child, ...this.runsBelow(child.run)],
    );
  }

  /**
   * Calls `end` once the calls of a run whose actor is over have reported their children's outcomes, and the runs below
   * that wait for theirs have ended (S9, V5). Their actors are over: it takes a few event loop turns. At once when
   * there is nothing to wait for.
   */
  afterCalls(run: Run | null, end: () => void): void {
    const due = run === null ? [] : stillDue(run);
    if (run === null || due.length === 0) {
      end();
      return;
    }
    const error = failure('interrupted', `its parent ${run.path} has ended`);
    this.endBelow(run, error);
    run.over.end(TroupeError.from(run.cause?.error ?? error));
    void Promise.all(due).then(end);
  }

  /** The actor of a run is over, or has lost its activation, and with it the run. */
  released(run: Run, exit: Exit): void {
    this.#endRun(run, exit, () => {
      const { lifetime, hasStarted } = run.agent;
      if (lifetime === 'persistent' || !hasStarted) return;
      this.#options.events.emit('agent_stopped', run.subject, stopOf(exit));
    });
  }

  /** A persistent agent has reported that its run is over: what the run left behind is ended first (S4, V5). */
  runEnded(run: Run): void {
    const { runtime } = this.#options;
    const error = failure('interrupted', `the run of ${run.path} has ended`);
    this.endBelow(run, error);
    for (const { scope, run: below } of run.branch.children) {
      if (scope === 'session' || below === null) continue;
      // The interrupt of the run already covers these actors.
      if (runtime.isInterrupting(below.cell.address)) continue;
      void interruptRun(runtime, below, { reason: error.message });
    }
    this.finishIfDone(run);
  }

  /** Finishes the run of a persistent agent once it has ended and nothing below it is left. */
  finishIfDone(run: Run): void {
    const { agent } = run;
    if (agent.lifetime === 'task' || agent.run !== run || run.record.end === null) return;
    if (hasRunScoped(run.branch)) return;
    this.#endRun(run, survives);
    this.#options.onFree(agent);
  }

  #endRun(run: Run, exit: Exit, beforeEnd: () => void = () => {}): void {
    const { registry, openToolsets, queue, clock, publish } = this.#options;
    const { agent, task, record, cause, spec } = run;
    agent.run = null;
    if (agent.lifetime === 'task') registry.agents.delete(agent.id);
    queue.leave(agent);
    run.timers.stop();
    for (const event of lastAnswers(run)) publish(run, event);
    run.over.end();
    this.endBelow(run, failure('interrupted', `its parent ${run.path} has ended`));
    beforeEnd();
    const result = runResultOf({ end: record.end, cause, exit, text: record.text });
    run.hostHooks?.ended(result);
    const ended = outcomeOf(run, result, clock.now());
    const diagnosticFile = this.#options.diagnose(run, ended);
    const outcome = diagnosticFile === null ? ended : { ...ended, diagnosticFile };
    // A run that reached its goal leaves its agent's shell to the next one; every other end is an end to it.
    if (agent.lifetime === 'task' || outcome.status !== 'completed') openToolsets.end(agent.id);
    if (agent.lifetime === 'persistent') {
      agent.memory = remembered(spec.shared, record.messages, record.begins);
    }
    registry.end(task, outcome);
    this.#endTreeIfDone(run.root);
    if (run.parent !== null) this.finishIfDone(run.parent);
  }

  /**
   * The receipts with the runs' outcomes: partial work, and completions that the interrupt raced (S4, S9). A run below
   * whose actor had ended before, and which only had to report its children's outcomes, has one too.
   */
  receipts(
    ended: readonly InterruptReceipt[],
    below: readonly TaskRecord[],
  ): readonly InterruptReceipt[] {
    const { history } = this.#options.registry;
    const known = new Set(ended.map(({ agentId }) => agentId));
    const before = below
      .map((task) => receiptOf(task, 'already_dead'))
      .filter(({ agentId }) => !known.has(agentId));
    return [...ended, ...before].map((receipt) => {
      const outcome = history.find(receipt.agentId)?.outcome;
      if (outcome === undefined) return receipt;
      const partial = copyData(outcome.partial ?? null);
      return { ...receipt, stage: stageAfter(receipt, outcome), partial };
    });
  }
}

/** What a run whose actor is over has to wait for: its calls that wait for children, and children whose actor is over. */
function stillDue({ hostTools, branch }: Run): readonly Promise<unknown>[] {
  const due: Promise<unknown>[] = [];
  const answered = hostTools?.answered() ?? null;
  if (answered !== null) due.push(answered);
  for (const { scope, run, result } of branch.children) {
    if (scope === 'run' && run?.cell.isOver === true) due.push(result);
  }
  return due;
}

/** An actor's receive carries less than its run: it ends normally also when the run was interrupted inside it. */
function stageAfter({ stage }: InterruptReceipt, outcome: Outcome): ReceiptStage {
  if (stage === 'interrupted' && outcome.exitReason === 'goal') return 'completed';
  if (stage === 'completed' && outcome.status === 'interrupted') {
    return outcome.turns === 0 ? 'not_started' : 'interrupted';
  }
  return stage;
}

/** The payload of the event of an agent's end. */
export function stopOf({ reason, failure: cause }: Exit): { reason: string; failure?: Failure } {
  return cause === undefined ? { reason } : { reason, failure: cause };
}
