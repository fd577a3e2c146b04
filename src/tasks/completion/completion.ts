// Owns how tasks end: a waiting one, a run with what is below it, an interrupt and its receipts. Starts nothing.
import type { Exit } from '../../actor/exit.ts';
import { reasonOf } from '../../actor/interrupt-reason.ts';
import type { InterruptOptions, InterruptReceipt, ReceiptStage } from '../../actor/ref.ts';
import { repair, runEndedFirst } from '../../agent/history-repair.ts';
import { remembered } from '../../agent/memory-window.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { type Failure, failure, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { EventBus } from '../../events/events.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { AgentRuntime } from '../agent-runtime.ts';
import type { Branch } from '../branch.ts';
import { interruptRun } from '../interrupt-run.ts';
import type { OpenToolsets } from '../open-toolsets.ts';
import type { Parking } from '../parking.ts';
import type { PersistentAgent } from '../persistent-agent.ts';
import type { EndOfWaiting } from '../refusals.ts';
import type { Run } from '../run.ts';
import type { SlotQueue } from '../slot-queue.ts';
import type { TaskRecord } from '../task-record.ts';
import type { TaskRegistry } from '../task-registry.ts';
import { lastAnswers } from './last-answers.ts';
import { outcomeOf, outcomeOfWaiting, receiptOf } from './outcomes.ts';
import { runResultOf } from './run-result.ts';

export type CompletionOptions = {
  readonly registry: TaskRegistry;
  readonly openToolsets: OpenToolsets;
  readonly queue: SlotQueue;
  readonly parking: Parking;
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
  readonly clock: Clock;
  /** Writes down what is known of a run that timed out for no visible reason; null for every other one. Never throws. */
  readonly diagnose: (agent: Run, outcome: Outcome) => string | null;
  /** Publishes a run event on behalf of a run whose thread can no longer send it. */
  readonly publish: (agent: Run, event: RunEvent) => void;
  /** A spawned agent has ended a run and is free for the next. */
  readonly onFree: (agent: PersistentAgent) => void;
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
    entry: TaskRecord,
    options: InterruptOptions = {},
  ): Promise<readonly InterruptReceipt[]> {
    const { events, runtime } = this.#options;
    const reason = reasonOf(options);
    const error = failure('interrupted', reason);
    if (entry.state.status === 'ended') {
      const { branch } = entry.state;
      const below = branch === null ? [] : await Promise.all(this.#background(branch, options));
      return [receiptOf(entry, 'already_dead'), ...below.flat()];
    }
    const { run } = entry;
    if (run === null) {
      this.endWaiting(entry, { exitReason: 'interrupted', error });
      return [receiptOf(entry, 'not_started')];
    }
    const { path: target, subject } = run;
    events.emit('interrupt_requested', subject, { scope: options.scope ?? 'run', reason, target });
    run.endFor('interrupted', error);
    const running = this.runsBelow(run);
    const waiting = this.endBelow(run, error);
    const ending = interruptRun(runtime, run, { ...options, reason });
    // In the same turn of the loop: nothing can start in between, and all have one deadline (S4).
    const background = this.#background(run.branch, { ...options, reason });
    const ended = await ending;
    // A spawned agent's run that is parked ends when it has a slot again; every other one when its actor has settled.
    if (run.endsWithRun || !run.isParked) await entry.result;
    await Promise.all(running.map(({ result }) => result));
    const aside = await Promise.all(background);
    const receipts = [...this.receipts(ended, running), ...waiting, ...aside.flat()];
    events.emit('interrupt_completed', subject, { target, receipts: receipts.length });
    return receipts;
  }

  /** The same by the id of a task; does nothing when the task has ended. */
  async interruptTask(
    taskId: string,
    options: InterruptOptions,
  ): Promise<readonly InterruptReceipt[]> {
    const entry = this.#options.registry.tasks.get(taskId);
    return entry === undefined ? [] : this.interrupt(entry, options);
  }

  /** Ends what ended runs below have left in the background, with scope `subtree`; none of it with any other. */
  async interruptBackground(
    branch: Branch,
    options: InterruptOptions,
  ): Promise<readonly InterruptReceipt[]> {
    return (await Promise.all(this.#background(branch, options))).flat();
  }

  #background(
    branch: Branch,
    options: InterruptOptions,
  ): readonly Promise<readonly InterruptReceipt[]>[] {
    if (options.scope !== 'subtree') return [];
    const tasks = this.#options.registry.entriesOf(branch.background());
    return tasks.map((entry) => this.interrupt(entry, options));
  }

  /** The end of a task that never started. */
  endWaiting(entry: TaskRecord, end: EndOfWaiting): void {
    if (entry.isEnded) return;
    const { queue, clock } = this.#options;
    queue.leave(entry);
    entry.persistentAgent?.waiting.delete(entry);
    const { parent } = entry.origin;
    if (entry.isCounted && parent !== null) parent.root.treeTotal -= 1;
    this.#options.registry.end(entry.id, outcomeOfWaiting(entry, end, clock.now()));
    if (parent === null) return;
    this.#endTreeIfDone(parent.root);
    this.finishIfDone(parent);
  }

  /** Its budget lasts as long as anything is under it. */
  #endTreeIfDone(root: Run): void {
    if (root.branch.isDone) this.#options.runtime.endTree(root.tree);
  }

  /**
   * Ends what waits below an agent and marks what runs there; the running ones are the tree's to end. What is in the
   * background goes on.
   */
  endBelow(agent: Run, error: Failure): readonly InterruptReceipt[] {
    const receipts: InterruptReceipt[] = [];
    for (const child of this.#options.registry.entriesOf(agent.branch.children)) {
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

  /** The runs below an agent: each still has to report its children's outcomes after its actor has ended. */
  runsBelow(agent: Run): readonly TaskRecord[] {
    const children = this.#options.registry.entriesOf(agent.branch.children);
    return children.flatMap((child) =>
      child.scope === 'session' || child.run === null ? [] : [child, ...this.runsBelow(child.run)],
    );
  }

  /**
   * Calls `end` once the calls of a run whose actor is over have reported their children's outcomes, and the runs below
   * that wait for theirs have ended (S9, V5). Their actors are over: it takes a few event loop turns. At once when
   * there is nothing to wait for.
   */
  afterCalls(agent: Run | undefined, end: () => void): void {
    const due = agent === undefined ? [] : stillDue(agent);
    if (agent === undefined || due.length === 0) {
      end();
      return;
    }
    const error = failure('interrupted', `its parent ${agent.path} has ended`);
    this.endBelow(agent, error);
    agent.endWork(TroupeError.from(agent.cause?.error ?? error));
    void Promise.all(due).then(end);
  }

  /** The actor of a run is over, and with it the run. */
  released(agent: Run, exit: Exit): void {
    this.#endRun(agent, exit, () => {
      if (!agent.endsWithRun || !agent.hasStarted) return;
      this.#options.events.emit('agent_stopped', agent.subject, stopOf(exit));
    });
  }

  /** A spawned agent has reported that its run is over: what the run left behind is ended first (S4, V5). */
  runEnded(agent: Run): void {
    const { registry, runtime } = this.#options;
    const error = failure('interrupted', `the run of ${agent.path} has ended`);
    this.endBelow(agent, error);
    for (const { id, scope } of agent.branch.children) {
      const below = registry.tasks.get(id)?.run ?? null;
      if (scope === 'session' || below === null) continue;
      // The interrupt of the run already covers these actors.
      if (runtime.isInterrupting(below.cell.address)) continue;
      void interruptRun(runtime, below, { reason: error.message });
    }
    this.finishIfDone(agent);
  }

  /** Finishes the run of a spawned agent once it has ended and nothing below it is left. */
  finishIfDone(agent: Run): void {
    const { registry, onFree } = this.#options;
    const persistent = registry.persistent.get(agent.id);
    if (persistent?.run !== agent || agent.record.end === null) return;
    if (agent.branch.hasRunScoped) return;
    this.#endRun(agent, survives);
    onFree(persistent);
  }

  #endRun(agent: Run, exit: Exit, beforeEnd: () => void = () => {}): void {
    const { registry, openToolsets, queue, parking, clock, publish } = this.#options;
    const { record, cause, spec } = agent;
    const persistent = registry.persistent.get(agent.id);
    if (persistent !== undefined) persistent.run = null;
    registry.agents.delete(agent.id);
    queue.leaveReady(agent);
    agent.stopClocks();
    for (const event of lastAnswers(agent, parking.resultsOf(agent))) publish(agent, event);
    parking.forget(agent);
    agent.endWork();
    this.endBelow(agent, failure('interrupted', `its parent ${agent.path} has ended`));
    beforeEnd();
    const settlement = runResultOf({ end: record.end, cause, exit, text: record.text });
    agent.hostHooks?.ended(settlement);
    const result = outcomeOf(agent, settlement, clock.now());
    const diagnosticFile = this.#options.diagnose(agent, result);
    const outcome = diagnosticFile === null ? result : { ...result, diagnosticFile };
    // A run that reached its goal leaves its agent's shell to the next one; every other end is an end to it.
    if (agent.endsWithRun || outcome.status !== 'completed') openToolsets.end(agent.id);
    persistent?.remember(
      remembered(spec.shared, repair(record.messages, runEndedFirst), record.begins),
    );
    registry.end(agent.task.id, outcome);
    this.#endTreeIfDone(agent.root);
    if (agent.parent !== null) this.finishIfDone(agent.parent);
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
      .map((entry) => receiptOf(entry, 'already_dead'))
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
