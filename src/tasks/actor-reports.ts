// Owns what the supervision tree reports of the agents' actors, as messages to the scheduler. Decides nothing.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import type { PartialResult } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { Spend } from '../protocol/budget.ts';
import type { StreamedDelta } from '../protocol/model-messages.ts';
import { parseRunEvent } from '../protocol/run-event-schema.ts';
import type { RunEvent, ThreadEvent } from '../protocol/run-events.ts';
import type { TreeObserver } from '../supervision/tree-options.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { SchedulerMessage } from './messages.ts';
import { suspendIdle } from './run-clocks.ts';
import type { Agent } from './state.ts';
import type { TaskRegistry } from './task-registry.ts';
import type { ThreadDemand } from './thread-use.ts';
import { endsByItself, onlyWaits } from './waits.ts';

export type ActorReportsOptions = {
  readonly registry: TaskRegistry;
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class ActorReports implements TreeObserver {
  readonly #options: ActorReportsOptions;
  /** How the idle clocks of agents go on whose calls wait for a provider. */
  readonly #releases = new Map<string, () => void>();

  constructor(options: ActorReportsOptions) {
    this.#options = options;
  }

  started(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent !== null) this.#options.dispatch({ type: 'started', agent });
  }

  published(cell: Cell, value: unknown): void {
    const { registry, runtime, dispatch } = this.#options;
    const run = registry.runOf(cell.address.id);
    if (run === null) return;
    let event: ThreadEvent;
    try {
      event = parseRunEvent(value);
    } catch (error) {
      dispatch({ type: 'violated', run, error: toFailure(error, 'protocol_violation') });
      return;
    }
    const isEnd = isOfCall.has(event.type);
    if (isEnd) runtime.readAnswers();
    // Runs are charged for what the gateway has counted, and nothing that a thread reports (V10).
    const spent = isEnd ? runtime.spentBy(cell) : null;
    dispatch({ type: 'run_event', run, event, spent });
  }

  /** A piece of the answer that the agent waits for, with or without a thread. */
  streamed(agentId: string, delta: StreamedDelta): void {
    const { registry, dispatch } = this.#options;
    const run = registry.runOf(agentId);
    if (run !== null) dispatch({ type: 'streamed', run, delta });
  }

  /** The model call of the agent begins to wait for a provider that is down, or ends that: no idle time passes. */
  outageWait(agentId: string, isWaiting: boolean): void {
    this.#releases.get(agentId)?.();
    this.#releases.delete(agentId);
    const run = this.#options.registry.runOf(agentId);
    if (isWaiting && run !== null) this.#releases.set(agentId, suspendIdle(run));
  }

  /** A model call of the agent may take so much of its budgets. */
  reserved(agentId: string, bound: Spend): void {
    const { registry, dispatch } = this.#options;
    const run = registry.runOf(agentId);
    // Where turns alone are limited a call that has no answer takes nothing.
    const isNothing = bound.tokens === 0 && bound.costUsd === 0;
    if (run === null || isNothing) return;
    dispatch({ type: 'entry', run, entry: { type: 'reserved', bound }, waiter: null });
  }

  parked(cell: Cell): void {
    const { registry, runtime, dispatch } = this.#options;
    const run = registry.runOf(cell.address.id);
    if (run === null) return;
    const isAsking = run.record.saved.step?.type === 'asking' && run.record.isAsked;
    const early = runtime.suspendModel(cell, isAsking, (message) => {
      dispatch({ type: 'model_message', run, message, spent: runtime.spentBy(cell) });
    });
    dispatch({ type: 'parked', run, spent: runtime.spentBy(cell), early });
  }

  /** The pool has requests for threads that are not on their way. */
  threadsNeeded(need: ThreadDemand): void {
    this.#options.dispatch({ type: 'threads_needed', need });
  }

  released(cell: Cell, exit: Exit): void {
    const { runtime, dispatch } = this.#options;
    const agent = this.#agentOf(cell);
    if (agent === null) return;
    const spent = runtime.endActivation(cell);
    runtime.forget(cell);
    dispatch({ type: 'released', agent, exit, spent });
  }

  passivated(cell: Cell, lost: Exit | null): void {
    const { runtime, dispatch } = this.#options;
    const agent = this.#agentOf(cell);
    if (agent?.lifetime !== 'persistent') return;
    dispatch({ type: 'passivated', agent, lost, spent: runtime.endActivation(cell) });
  }

  stayedLive(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent !== null) this.#options.dispatch({ type: 'stayed_live', agent });
  }

  activationFailed(cell: Cell, error: Failure): void {
    const { path } = cell.address;
    const message = `${path} was not activated`;
    this.#options.events.emit('log', {}, { level: 'error', message, failure: error });
    this.passivated(cell, failedActivation(path, error));
  }

  unresponsive(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent !== null) this.#options.dispatch({ type: 'unresponsive', agent });
  }

  gone(): void {
    this.#options.dispatch({ type: 'gone' });
  }

  endsParked(cell: Cell): boolean {
    const run = this.#options.registry.runOf(cell.address.id);
    return run !== null && endsByItself(run);
  }

  interruptParked(cell: Cell, reason: string): void {
    const run = this.#options.registry.runOf(cell.address.id);
    if (run !== null) this.#options.dispatch({ type: 'interrupt_parked', run, reason });
  }

  onlyWaits(cell: Cell): boolean {
    const run = this.#options.registry.runOf(cell.address.id);
    return run !== null && onlyWaits(run);
  }

  partialOf(cell: Cell): PartialResult | null {
    return this.#options.registry.runOf(cell.address.id)?.record.partial() ?? null;
  }

  #agentOf(cell: Cell): Agent | null {
    return this.#options.registry.agents.get(cell.address.id) ?? null;
  }
}

/** A model call has ended by then, or has broken off. */
const isOfCall: ReadonlySet<RunEvent['type']> = new Set([
  'model_response',
  'model_broke_off',
  'run_ended',
]);

/** How a run ended that was to begin with an activation which could not be made (P2). */
function failedActivation(path: string, cause: Failure): Exit {
  const message = `${path} could not be activated: ${cause.message}`;
  const detail = { cause };
  return {
    reason: 'spawn_failed',
    failure: failure('activation_failed', message, { retryable: true, detail }),
  };
}
