// Owns what runs are charged for: what the gateway has counted, and nothing that a thread reports (V10).
import type { Cell } from '../actor/cell.ts';
import type { EventBus } from '../events/events.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { PersistentAgent } from './persistent-agent.ts';
import { Run } from './run.ts';
import type { TaskRegistry } from './task-registry.ts';

export type SpendingOptions = {
  readonly registry: TaskRegistry;
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
  endActivation(cell: Cell): void {
    const { registry, runtime } = this.#options;
    const { id } = cell.address;
    const spent = runtime.endActivation(cell);
    const agent = registry.agents.get(id) ?? registry.persistent.get(id);
    if (agent !== undefined) this.#charge(agent, spent);
  }

  #charge(agent: Run | PersistentAgent, spent: Metered | null): void {
    if (spent === null) return;
    const { usage, isEstimated } = spent;
    const isRun = agent instanceof Run;
    if (isRun) agent.record.spend(usage);
    else agent.branch.spend(usage);
    const turn = isRun ? agent.record.turns : 0;
    this.#options.events.emit('usage_recorded', agent.subject, { turn, usage, isEstimated });
  }
}
