// A loopback provider with a limit per key and window that it announces in headers, and a 429 for every so many calls. Asserts nothing.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#src/base/clock.js';
import { anthropicWire } from '#src/testing/stub-anthropic.js';

type Limits = {
  readonly perWindow: number;
  readonly windowMs: number;
  readonly refuseEvery: number;
};
type Window = { endsAt: number; count: number };

export class LimitedProvider {
  readonly #limits: Limits;
  readonly #windows = new Map<string, Window>();
  readonly #server: Server;
  /** Calls by key. */
  readonly counts = new Map<string, number>();
  /** Calls that came when their key had none left. */
  overLimit = 0;
  refused = 0;
  /** Windows whose limit was used up. */
  fullWindows = 0;
  #calls = 0;

  static async start(limits: Limits): Promise<LimitedProvider> {
    const provider = new LimitedProvider(limits);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  private constructor(limits: Limits) {
    this.#limits = limits;
    this.#server = createServer((request, response) => {
      request.resume().once('end', () => {
        const { authorization = '' } = request.headers;
        this.#answer(authorization.replace(/^Bearer /, ''), response);
      });
    });
  }

  get url(): string {
    // A TCP server that listens has an address with a port.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }

  #answer(key: string, response: ServerResponse): void {
    const { perWindow, windowMs, refuseEvery } = this.#limits;
    const now = systemClock.now();
    const window = this.#windowAt(key, now);
    window.count += 1;
    this.#calls += 1;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    const isOver = window.count > perWindow;
    if (isOver) this.overLimit += 1;
    if (window.count === perWindow) {
      this.fullWindows += 1;
      window.endsAt = now + windowMs;
    }
    const resetMs = Math.ceil(Math.min(windowMs, window.endsAt - now));
    response.setHeader('x-ratelimit-remaining-requests', Math.max(0, perWindow - window.count));
    response.setHeader('x-ratelimit-reset-requests', `${resetMs}ms`);
    if (isOver || this.#calls % refuseEvery === 0) {
      this.refused += 1;
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '5' });
      const error = { type: 'rate_limit_error', message: 'slow down' };
      response.end(JSON.stringify({ type: 'error', error }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = { type: 'message', text: 'done' } as const;
    response.end(
      anthropicWire
        .events(message, { id: `msg_${this.#calls}`, model: 'claude-sonnet-5' })
        .join(''),
    );
  }

  /** A window ends so long after it was used up: on a slow machine none would be, if it ended so long after it began. */
  #windowAt(key: string, now: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && now < known.endsAt) return known;
    const window = { endsAt: Number.POSITIVE_INFINITY, count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
