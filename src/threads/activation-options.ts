// Owns what an activation on a thread is launched with: its pool, its code, its connection to a model and to services.

import type { MessagePort } from 'node:worker_threads';
import type { Cell } from '../actor/cell.ts';
import type { CellSupervisor } from '../actor/cell-supervisor.ts';
import type { MessageRouter } from '../actor/message-router.ts';
import type { ProcessRef } from '../base/clock.ts';
import type { HostServices } from '../protocol/host-services.ts';
import type { ActivationTarget } from '../protocol/worker-messages.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { WorkerProfile } from './worker-profile.ts';
import type { WorkerSlot } from './worker-slot.ts';

/** How an activation reaches its model from a thread. */
export type ModelConnection =
  | { readonly route: 'none' }
  | {
      readonly route: 'host';
      readonly token: string;
      /**
       * Hands a message of the thread to the host's gateway; false when it is none, and its sender not to be trusted.
       * With `isGivenUp` its receive is interrupted: no model is asked.
       */
      send(message: unknown, reply: (message: unknown) => void, isGivenUp: boolean): boolean;
      /** Aborts the calls in flight; each is answered within this call. */
      abort(): void;
    }
  | {
      readonly route: 'gateway';
      readonly token: string;
      /** Which gateway thread it is: a slot keeps its port to the same one. */
      readonly generation: number;
      /** A port to it, for a slot; calls `onViolated` when its thread sends there what is no message to a model. */
      connect(onViolated: () => void): MessagePort;
    };

export type ActivationOptions = {
  readonly pool: WorkerPool;
  readonly router: MessageRouter<Cell>;
  readonly supervisor: CellSupervisor<Cell>;
  /** Keeps the process alive while the activation has something to do. */
  readonly processRef: ProcessRef;
  readonly profile: WorkerProfile;
  readonly target: ActivationTarget;
  readonly moduleSet: string;
  /** False when its state need not be kept: the supervisor stores the whole history of an agent. */
  readonly keepsState: boolean;
  /** Messages handed over ahead: 1 for agents, 64 for others (M4). */
  readonly window: number;
  readonly args: () => unknown;
  /** Start arguments that many activations have in common, under a key that is theirs alone. */
  readonly shared?: { readonly key: string; readonly value: unknown };
  /** Called when the activation has its slot. */
  readonly openModel?: () => ModelConnection;
  /** What an agent's thread may call. Default: nothing, for actors of other kinds. */
  readonly services?: HostServices;
  /** The receive in hand is interrupted or stopped: what the host does for it ends now, whatever its thread does (S4). */
  readonly onInterrupted?: (reason: string) => void;
  /** How long loading and starting may take once it has its slot; no module, no limit. Default: none. */
  readonly startTimeoutMs?: number;
  /** The activation got its slot. */
  readonly onSlotAcquired?: (slot: WorkerSlot) => void;
};
