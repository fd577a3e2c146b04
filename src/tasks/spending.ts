// Owns what runs are charged for: what the gateway has counted, and nothing that a thread says (V10).
import type { Cell } from '../actor/cell.ts';
import type { AgentNote } from '../agent/run-messages.ts';
import type { EventBus } from '../events/events.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { AgentHouse } from './agent-runtime.ts';
import type { StandingAgent } from './persistent-agent.ts';
import { AgentEntry } from './run.ts';
import type { Books } from './task-registry.ts';

export type SpendingOptions = {
  readonly books: Books;
  readonly house: AgentHouse;
  readonly events: EventBus;
};

export class Spending {
  readonly #options: SpendingOptions;

  constructor(options: SpendingOptions) {
    this.#options = options;
  }

  /** A note may come with an answer, with a call that broke off, or with what its thread has kept to itself until the end. */
  note(agent: AgentEntry, { type }: AgentNote): void {
    if (type !== 'model_response' && type !== 'model_broke_off' && type !== 'run_ended') return;
    this.#charge(agent, this.#options.house.spentBy(agent.cell));
  }

  /** Ends a life; what it took and its thread has not spoken of is charged all the same. */
  endActivation(cell: Cell): void {
    const { books, house } = this.#options;
    const { id } = cell.address;
    const spent = house.endActivation(cell);
    const agent = books.agents.get(id) ?? books.standing.get(id);
    if (agent !== undefined) this.#charge(agent, spent);
  }

  #charge(agent: AgentEntry | StandingAgent, spent: Metered | null): void {
    if (spent === null) return;
    const { usage, isEstimated } = spent;
    const isRun = agent instanceof AgentEntry;
    if (isRun) agent.record.spend(usage);
    else agent.branch.spend(usage);
    const turn = isRun ? agent.record.turns : 0;
    this.#options.events.emit('usage_recorded', agent.subject, { turn, usage, isEstimated });
  }
}
