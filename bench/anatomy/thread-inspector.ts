// Owns the inspector's view of the worker threads of this process, from the host: no code of ours has to run in them.
import { Session } from 'node:inspector/promises';

type Answer = {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};
type Pending = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

export class ThreadInspector {
  readonly #host = new Session();
  /** The inspector's ids of the threads there are. */
  readonly #threads = new Set<string>();
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  private constructor() {
    this.#host.connect();
  }

  /** `setUp` is an expression that each thread evaluates before anything else; of ASCII, or Node drops it. */
  static async attach(setUp = 'undefined'): Promise<ThreadInspector> {
    const inspector = new ThreadInspector();
    await inspector.#follow(setUp);
    return inspector;
  }

  /** Asks every thread there is; rejects when one of them fails. */
  onThreads(method: string, parameters: object = {}): Promise<readonly unknown[]> {
    return Promise.all([...this.#threads].map((id) => this.#ask(id, method, parameters)));
  }

  /** Asks the host's own inspector. */
  onHost(method: string, parameters: object = {}): Promise<unknown> {
    return this.#host.post(method, parameters);
  }

  async #follow(setUp: string): Promise<void> {
    this.#host.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
      this.#threads.add(sessionId);
      void this.#ask(sessionId, 'Runtime.evaluate', { expression: setUp });
      void this.#ask(sessionId, 'Runtime.runIfWaitingForDebugger', {});
    });
    this.#host.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
      this.#threads.delete(sessionId);
    });
    this.#host.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      this.#receive(JSON.parse(message) as Answer);
    });
    await this.#host.post('NodeWorker.enable', { waitForDebuggerOnStart: true });
  }

  async #ask(sessionId: string, method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    const message = JSON.stringify({ id, method, params });
    await this.#host.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    return answered;
  }

  #receive({ id, result, error }: Answer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error.message));
  }
}
