// Owns the calls of an agent's thread that wait for its children: which they are, and how the wait of one is given up.
import type { TroupeError } from '../../base/failures.ts';
import { whenAborted } from '../../base/when-aborted.ts';

export class PendingWorkerCalls {
  readonly #over: AbortSignal;
  readonly #begin: (callId: string) => () => void;
  readonly #open = new Map<string, Set<AbortController>>();

  /** `over` aborts with the agent and ends every wait. `begin` runs when a wait starts, its result at the end. */
  constructor(over: AbortSignal, begin: (callId: string) => () => void) {
    this.#over = over;
    this.#begin = begin;
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
    const onOver = (): void => abort.abort(this.#over.reason);
    if (this.#over.aborted) onOver();
    const stop = whenAborted(this.#over, onOver);
    const waits = this.#open.get(callId) ?? new Set();
    this.#open.set(callId, waits.add(abort));
    const end = this.#begin(callId);
    try {
      return await work(abort.signal);
    } finally {
      end();
      stop();
      waits.delete(abort);
      if (waits.size === 0) this.#open.delete(callId);
    }
  }

  /** The call is over, whatever it waits for: as with a host tool, its children end with it. */
  abort(callId: string, reason: TroupeError): void {
    for (const each of [...(this.#open.get(callId) ?? [])]) each.abort(reason);
  }
}
