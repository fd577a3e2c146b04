// Owns what runs are charged for: what the gateway has counted, and nothing that a thread reports (V10).
import type { Cell } from '../actor/cell.ts';
import { addUsage } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Agent, Run } from './state.ts';

export type SpendingOptions = {
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
};

export class Spending {
  readonly #options: SpendingOptions;

  constructor(options: SpendingOptions) {
    this.#options = options;
  }

  /** Charges at each run event of a model response, of a call that broke off, and of the run's end. */
  onRunEvent(agent: Run, { type }: RunEvent): void {
    if (type !== 'model_response' && type !== 'model_broke_off' && type !== 'run_ended') return;
    this.#charge(agent, this.#options.runtime.spentBy(agent.cell));
  }

  /** Ends an activation; usage that its thread has not reported is charged all the same. */
  endActivation(agent: Agent, cell: Cell): void {
    const spent = this.#options.runtime.endActivation(cell);
    if (agent.run !== null) this.#charge(agent.run, spent);
    else if (spent !== null) this.#chargeBetweenRuns(agent, spent);
  }

  #charge(run: Run, spent: Metered | null): void {
    if (spent === null) return;
    const { usage, isEstimated } = spent;
    run.record.spend(usage);
    const { turns: turn } = run.record;
    this.#options.events.emit('usage_recorded', run.subject, { turn, usage, isEstimated });
  }

  #chargeBetweenRuns(agent: Agent, { usage, isEstimated }: Metered): void {
    const { branch, subject } = agent;
    branch.usage = addUsage(branch.usage, usage);
    this.#options.events.emit('usage_recorded', subject, { turn: 0, usage, isEstimated });
  }
}
