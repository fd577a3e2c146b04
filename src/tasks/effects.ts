// Owns how the effects of the scheduler's decisions are performed, one by one. Decides nothing.
import type { Cell } from '../actor/cell.ts';
import type { InterruptReceipt } from '../actor/ref.ts';
import type { CancelTimer, Clock, ProcessRef } from '../base/clock.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import { nextTurn } from '../base/next-turn.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import { reportFault } from './completion/fault-report.ts';
import type { Effect } from './effect.ts';
import type { Ending } from './ending.ts';
import type { AgentMemories } from './journal/agent-memories.ts';
import type { TaskJournal } from './journal/task-journal.ts';
import type { Trials } from './journal/trials.ts';
import type { SchedulerMessage } from './messages.ts';
import type { OpenToolsets } from './open-toolsets.ts';
import { type RunClocks, suspendClocks } from './run-clocks.ts';
import type { Delegation } from './services/delegation.ts';
import type { RunServices } from './services/run-services.ts';
import type { Agent, Run } from './state.ts';

export type EffectsOptions = {
  readonly clock: Clock;
  readonly processRef: ProcessRef;
  readonly events: EventBus;
  readonly runtime: AgentRuntime;
  readonly services: RunServices;
  readonly delegation: Delegation;
  readonly clocks: RunClocks;
  readonly openToolsets: OpenToolsets;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
  /** Null where nothing is written down. */
  readonly memories: Pick<AgentMemories, 'load'> | null;
  readonly trials: Trials;
  /** Milliseconds after which an idle persistent agent gives its thread up. */
  readonly passivateAfterMs: number;
  /** Writes down what is known of a run that timed out for no visible reason; null for every other one. Never throws. */
  readonly diagnose: (run: Run, outcome: Outcome) => string | null;
  /** What an effect came to. Its own effects go before those that wait. */
  readonly answer: (message: SchedulerMessage) => void;
  /** What comes of one later. */
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class Effects {
  readonly #options: EffectsOptions;
  /** When idle agents are asked for their threads. */
  readonly #idle = new Map<Agent, CancelTimer>();

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  perform(effect: Effect): void {
    const { runtime, events, clocks } = this.#options;
    switch (effect.type) {
      case 'emit':
        events.emit(effect.event, effect.subject, effect.payload);
        break;
      case 'write':
        this.#options.journal?.write(effect.records, effect.then);
        break;
      case 'end_wait':
        if (effect.why === null) effect.waiter.resolve();
        else effect.waiter.reject(TroupeError.from(effect.why));
        break;
      case 'end_acceptance':
        effect.task.written.acceptanceEnded(effect.why);
        break;
      case 'adopt':
        this.#options.delegation.adopt(effect.run, effect.left);
        break;
      case 'end_trial':
        this.#options.trials.end(effect.taskId);
        break;
      case 'found':
        this.#found(effect);
        break;
      case 'accept':
        this.#options.processRef.enter();
        break;
      case 'create':
        this.#create(effect);
        break;
      case 'activate':
        runtime.activate(effect.cell, this.#options.services.activationOf(effect.agent));
        break;
      case 'open_run':
        this.#openRun(effect.run);
        break;
      case 'open_budget':
        this.#openBudget(effect);
        break;
      case 'carry_budget':
        runtime.carryBudget(effect.accounts, effect.spent);
        break;
      case 'send':
        runtime.send(effect.cell, effect.message);
        break;
      case 'control':
        runtime.control(effect.cell, effect.control);
        break;
      case 'hold':
        effect.cell.pause();
        break;
      case 'let_go':
        effect.cell.resume();
        break;
      case 'kill':
        effect.cell.kill('crashed');
        break;
      case 'ask_model':
        this.#askModel(effect);
        break;
      case 'abort_model':
        runtime.abortModel(effect.cell);
        break;
      case 'end_parked':
        effect.cell.endParked(effect);
        break;
      case 'allow_threads':
        runtime.allowThreads(effect.stuck);
        break;
      case 'interrupt':
        this.#interrupt(effect);
        break;
      case 'end_agent':
        effect.ending.receipts = this.#endAgent(effect.cell, effect.ending);
        break;
      case 'load_memory':
        this.#options.memories?.load(effect.agent);
        break;
      case 'passivate':
        effect.agent.cell?.passivation.begin();
        break;
      case 'passivate_later':
        this.#passivateLater(effect.agent);
        break;
      case 'stay':
        this.#stay(effect.agent);
        break;
      case 'check_waits_later':
        void nextTurn().then(() => this.#options.dispatch({ type: 'check_waits' }));
        break;
      case 'check_slots_later':
        void nextTurn().then(() => this.#options.dispatch({ type: 'check_slots' }));
        break;
      case 'call_clock':
        clocks.onRunEvent(effect.run, effect.event);
        break;
      case 'suspend_clocks':
        effect.task.resumeClocks ??= suspendClocks(effect.run, null);
        break;
      case 'resume_clocks':
        effect.task.resumeClocks?.();
        effect.task.resumeClocks = null;
        break;
      case 'ready':
        effect.agent.onReady?.(effect.why);
        break;
      case 'end_signal':
        effect.run.over.end(effect.why);
        break;
      case 'complete':
        this.#complete(effect);
        break;
      case 'retry_later':
        this.#retryLater(effect);
        break;
      case 'end_toolset':
        this.#options.openToolsets.end(effect.agentId);
        break;
      case 'end_tree':
        runtime.endTree(effect.tree);
        break;
      case 'settle':
        effect.delivery.settle(effect.end);
        break;
    }
  }

  #create({ agent, begins }: Extract<Effect, { type: 'create' }>): void {
    const { runtime, answer } = this.#options;
    // Its task has ended meanwhile.
    if (agent.status === 'ended') return;
    const above = agent.parent?.cell.address ?? null;
    const [task] = agent.queue;
    let cell: Cell;
    try {
      cell = runtime.create({
        name: agent.name,
        parent: task?.scope === 'run' ? above : null,
        below: above,
        survivesCrash: agent.survivesCrash,
        begins,
      });
    } catch (thrown) {
      answer({ type: 'not_created', agent, error: toFailure(thrown, 'spawn_failed') });
      return;
    }
    answer({ type: 'created', agent, cell });
  }

  #openRun(run: Run): void {
    const { services, clocks } = this.#options;
    run.hostTools = services.hostToolsOf(run);
    run.hostHooks = services.hostHooksOf(run);
    clocks.start(run);
    // No time passes while it waits for its thread (W8).
    const { status } = run.cell.state;
    if (status !== 'running' && status !== 'parked') run.timers.idle?.pause();
  }

  #askModel({ run, toolChoice, ...request }: Extract<Effect, { type: 'ask_model' }>): void {
    const { runtime, dispatch } = this.#options;
    const { cell, spec, budget } = run;
    const { accounts } = budget;
    const { turn, from, messages } = request;
    const asked = { turn, from, messages, ...(toolChoice === null ? {} : { toolChoice }) };
    runtime.askModel(cell, { spec, accounts }, asked, (message) => {
      dispatch({ type: 'model_message', run, message, spent: runtime.spentBy(cell) });
    });
  }

  #openBudget({ agent, cell, accounts }: Extract<Effect, { type: 'open_budget' }>): void {
    const { runtime, answer, dispatch } = this.#options;
    const opening = runtime.openBudget(cell, accounts);
    if (opening === null) answer({ type: 'budget_opened', agent });
    else void opening.then(() => dispatch({ type: 'budget_opened', agent }));
  }

  #interrupt({ run, options, ending }: Extract<Effect, { type: 'interrupt' }>): void {
    const receipts = this.#interruptRun(run, options);
    if (ending !== null) ending.receipts = receipts;
  }

  /** A task's agent ends with its run, a persistent one only falls idle (S5). */
  #interruptRun(run: Run, options: Ending['options']): Promise<readonly InterruptReceipt[]> {
    const { runtime } = this.#options;
    const { agent, cell, task } = run;
    if (agent.lifetime === 'task') return runtime.interrupt(cell, { ...options, scope: 'agent' });
    const { reason } = options;
    // Its message may still be on the way, to its first activation or to the next: an interrupt only ends a receive that has begun.
    runtime.control(cell, { type: 'cancel', runId: task.id, reason });
    return runtime.interrupt(cell, { scope: 'run', ...options });
  }

  #endAgent(cell: Cell, { by, options }: Ending): Promise<readonly InterruptReceipt[]> {
    const { runtime } = this.#options;
    switch (by) {
      case 'stop':
        return runtime.stop(cell);
      case 'kill':
        return runtime.kill(cell);
      case 'interrupt':
        return runtime.interrupt(cell, options);
    }
  }

  #passivateLater(agent: Agent): void {
    const { clock, passivateAfterMs } = this.#options;
    const cancel = clock.after(passivateAfterMs, () => agent.cell?.passivation.begin());
    this.#idle.set(agent, cancel);
  }

  #stay(agent: Agent): void {
    this.#idle.get(agent)?.();
    this.#idle.delete(agent);
    agent.cell?.passivation.stay();
  }

  #retryLater({ task, run, result, delayMs }: Extract<Effect, { type: 'retry_later' }>): void {
    const { clock, dispatch } = this.#options;
    run.hostHooks?.ended(result);
    clock.after(delayMs, () => dispatch({ type: 'retry', task }));
  }

  #found({ task, outcome }: Extract<Effect, { type: 'found' }>): void {
    const { events, processRef } = this.#options;
    task.settle(outcome, events.lastSeq);
    processRef.leave();
  }

  #complete({ task, subject, outcome, ended }: Extract<Effect, { type: 'complete' }>): void {
    const { events, processRef, diagnose } = this.#options;
    if (ended !== null) {
      ended.run.hostHooks?.ended(ended.result);
      const file = diagnose(ended.run, outcome);
      if (file !== null) outcome.diagnosticFile = file;
    }
    reportFault(events, subject, outcome);
    events.emit('task_completed', subject, { outcome });
    task.settle(outcome, events.lastSeq);
    processRef.leave();
  }
}
