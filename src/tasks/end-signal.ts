// Owns the end of a run as a signal: what the host does in its name is aborted then, and what comes later begins aborted.
import { TroupeError } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';

export class EndSignal {
  readonly #path: string;
  /** Made on first use: most runs have nothing that would end with them. */
  #controller: AbortController | null = null;
  /** Why the run is over; an error is made only for those who listen, as it is dear to make. */
  #why: (() => TroupeError) | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = openController();
      if (this.#why !== null) this.#controller.abort(this.#why());
    }
    return this.#controller.signal;
  }

  end(why?: TroupeError): void {
    this.#why ??= () => why ?? new TroupeError('activation_ended', `${this.#path} has ended`);
    this.#controller?.abort(this.#why());
  }
}
