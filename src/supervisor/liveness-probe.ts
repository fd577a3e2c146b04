// Owns one question to the thread behind an agent, and what its silence means: spinning, blocked or dead (V9).
import type { Cell } from '../actor/cell.ts';
import { unreachable } from '../base/failures.ts';
import type { Liveness, LivenessCheck } from '../tasks/agent-runtime.ts';
import { isAsleep, type RunTime, runTimeOf } from '../threads/thread-state.ts';
import type { WorkerSlot } from '../threads/worker-slot.ts';

export class LivenessProbe implements LivenessCheck {
  readonly #cell: Pick<Cell, 'state'>;
  readonly #slotNow: () => WorkerSlot | null;
  readonly #asked: WorkerSlot | null;
  /** How long its thread had run when it was asked. */
  readonly #ranBefore: RunTime | null;
  #hasAnswered = false;

  /** Pings at once the thread of the slot that the agent uses now. */
  constructor(cell: Pick<Cell, 'state'>, slotNow: () => WorkerSlot | null) {
    this.#cell = cell;
    this.#slotNow = slotNow;
    this.#asked = slotNow();
    this.#ranBefore = runTimeOf(this.#asked?.osThreadId ?? null);
    this.#asked?.ping(() => {
      this.#hasAnswered = true;
    });
  }

  /** A silent thread counts as spinning where the system does not say that it sleeps, and has slept since it was asked. */
  verdict(): Liveness {
    const slot = this.#slotNow();
    if (slot === null) return this.#isThreadDue() ? 'dead' : 'answers';
    const { status } = slot;
    if (status === 'dying' || status === 'gone') return 'dead';
    // An agent that was parked since may use another slot, which this probe has not pinged.
    if (this.#hasAnswered || slot !== this.#asked) return 'answers';
    return isAsleep(slot.osThreadId, this.#ranBefore) ? 'blocked' : 'spinning';
  }

  /** An activation that has begun and not ended has a thread; one that starts may still wait for it. */
  #isThreadDue(): boolean {
    const { state } = this.#cell;
    switch (state.status) {
      case 'running':
      case 'paused':
      case 'passivating':
      case 'stopping':
      case 'killing':
        return true;
      case 'starting':
      case 'parked':
      case 'passivated':
      case 'activating':
      case 'ended':
      case 'unresponsive':
      case 'stopped':
        return false;
      default:
        return unreachable(state);
    }
  }
}
