// Owns what an activation on a thread is launched with: its pool, its code, its connection to a model and to services.

import type { Cell } from '../actor/cell.ts';
import type { CellSupervisor } from '../actor/cell-supervisor.ts';
import type { MessageRouter } from '../actor/message-router.ts';
import type { ProcessRef } from '../base/clock.ts';
import type { HostServices } from '../protocol/host-services.ts';
import type { ModelConnection } from './model-connection.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { SlotOptions, WorkerSlot } from './worker-slot.ts';

/** What an activation needs of the kernel that its actor belongs to. */
export type ActivationKernel = {
  readonly router: MessageRouter<Cell>;
  readonly tree: CellSupervisor<Cell>;
  /** Keeps the process alive while the activation has something to do. */
  readonly processRef: ProcessRef;
};

export type ActivationOptions = SlotOptions & {
  readonly pool: WorkerPool;
  readonly kernel: ActivationKernel;
  /** Messages handed over ahead: 1 for agents, 64 for others (M4). */
  readonly window: number;
  readonly args: () => unknown;
  /** Called when the activation has its slot; returns how it reaches its model. Default: it has none. */
  readonly onSlotAcquired?: (slot: WorkerSlot) => ModelConnection | null;
  /** What an agent's thread may call. Default: nothing, for actors of other kinds. */
  readonly services?: HostServices;
  /** The receive in hand is interrupted or stopped: what the host does for it ends now, whatever its thread does (S4). */
  readonly onInterrupted?: (reason: string) => void;
  /** How long loading and starting may take once it has its slot; no module, no limit. Default: none. */
  readonly startTimeoutMs?: number;
};
