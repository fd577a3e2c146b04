// Owns the data of the scheduler's model: its actors, and what decisions read of them. Starts no test.
import type { AgentSpec } from '#src/tasks/resolve/agent-resolver.js';
import type { Agent } from '#src/tasks/state.js';

/** Slots of the model. */
export const maxLive = 4;

/** What decisions read of a spec. */
export const spec = {
  name: 'agent',
  modelId: 'model',
  rights: { isLeaf: false, warnings: [], names: new Set() },
  shared: { tools: [] },
  hostHooks: new Map(),
} as unknown as AgentSpec;

/** An actor as decisions see it, and how far it is. */
export type Actor = {
  readonly agent: Agent;
  readonly cell: {
    address: { id: string; path: string };
    state: { status: string };
    isOver: boolean;
  };
  /** `asked`: it has been asked to end. */
  status:
    | 'starting'
    | 'live'
    | 'parking'
    | 'parked'
    | 'asked'
    | 'passivating'
    | 'passivated'
    | 'over';
  calls: string[];
  /** Its run is interrupted, and the actor is not. */
  isCancelled: boolean;
};
