// Owns the calls of an agent's thread that wait for its children: which they are, and how the wait of one is given up.
import type { TroupeError } from '../../base/failures.ts';
import { withAbort } from '../../base/with-abort.ts';
import type { EndSignal } from '../end-signal.ts';
import type { RunTimers } from '../run-timers.ts';

export class PendingWorkerCalls {
  readonly #over: EndSignal;
  readonly #timers: RunTimers;
  readonly #open = new Map<string, Set<AbortController>>();

  /** The end of the run ends every wait; the timers of a call that waits are paused. */
  constructor(over: EndSignal, timers: RunTimers) {
    this.#over = over;
    this.#timers = timers;
  }

  get size(): number {
    return this.#open.size;
  }

  has(callId: string): boolean {
    return this.#open.has(callId);
  }

  /** Counts a call as waiting for children while `work` runs; its signal aborts when the wait is given up. */
  async during<Value>(
    callId: string,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const abort = new AbortController();
    const onAbort = ({ reason }: AbortSignal): void => abort.abort(reason);
    const waits = this.#open.get(callId) ?? new Set();
    this.#open.set(callId, waits.add(abort));
    const end = this.#timers.beginWait(callId);
    try {
      return await withAbort(this.#over.signal, onAbort, () => work(abort.signal));
    } finally {
      end();
      waits.delete(abort);
      if (waits.size === 0) this.#open.delete(callId);
    }
  }

  /** The call is over, whatever it waits for: as with a host tool, its children end with it. */
  abort(callId: string, reason: TroupeError): void {
    for (const each of [...(this.#open.get(callId) ?? [])]) each.abort(reason);
  }
}
