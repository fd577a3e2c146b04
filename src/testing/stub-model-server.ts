// Owns a loopback HTTP server that plays a model provider from a script. For tests; knows no SDK and no key.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TroupeError, unreachable } from '../base/failures.ts';
import { anthropicWire } from './stub-anthropic.ts';
import { openAiChatWire } from './stub-openai-chat.ts';
import { openAiResponsesWire } from './stub-openai-responses.ts';
import type { StubAnswer, StubReply, StubWire } from './stub-reply.ts';
import { checkReplies } from './stub-reply-schema.ts';

/** A request as the server saw it; headers that carry keys are left out. */
export type StubRequest = {
  /** The path it asked for, with its query. */
  readonly path: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The names of the headers that were left out, sorted. */
  readonly keys: readonly string[];
};

/** A loopback server that answers like the API whose path is asked for. */
export interface StubModelServer {
  /** What to pass as the base URL; for OpenAI's APIs, with `/v1`. */
  readonly url: string;
  /** Adds replies; each request takes the next one, and gets a 500 when none is left. */
  reply(...replies: readonly StubReply[]): void;
  /** All requests so far, oldest first. */
  requests(): readonly StubRequest[];
  /** Resolves with the next request that no earlier call of `nextRequest` has returned. */
  nextRequest(): Promise<StubRequest>;
  /** Resolves when a client has cut the next connection whose answer was not complete. */
  nextCut(): Promise<void>;
  /** Cuts every connection and frees the port; idempotent. */
  close(): Promise<void>;
}

/**
 * Starts the server on a free port of 127.0.0.1. It speaks the real wire formats to the real SDKs, errors, broken streams
 * and silence included; what it is asked it keeps, without the keys.
 *
 * @example
 * ```js
 * import { createSupervisor } from 'troupe';
 * import { startStubModelServer } from 'troupe/testing';
 *
 * const server = await startStubModelServer([
 *   { type: 'error', status: 529, message: 'busy' },
 *   { type: 'message', text: ['Good ', 'morning.'] },
 * ]);
 * const supervisor = createSupervisor({
 *   model: {
 *     model: 'claude-sonnet-5',
 *     apiMode: 'anthropic_messages',
 *     baseUrl: server.url,
 *     apiKey: 'any',
 *   },
 * });
 * try {
 *   const outcome = await supervisor.delegate({ goal: 'Greet.' });
 *   console.log(outcome.text); // → Good morning.
 *   const [first, again] = server.requests();
 *   console.log(first.path, first.body.model); // → /v1/messages claude-sonnet-5
 *   console.log(again.keys); // → [ 'authorization' ]
 * } finally {
 *   await supervisor.close();
 *   await server.close();
 * }
 * ```
 */
export async function startStubModelServer(
  replies: readonly StubReply[] = [],
): Promise<StubModelServer> {
  const stub = new StubServer(replies);
  await stub.listen();
  return stub;
}

/** What is spoken, by the end of the path that is asked for. */
const wires: readonly (readonly [path: string, wire: StubWire])[] = [
  ['/v1/messages', anthropicWire],
  ['/v1/chat/completions', openAiChatWire],
  ['/v1/responses', openAiResponsesWire],
];

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'cookie']);

/** Pairs each event with one waiter, in order; the one that comes first waits for the other. */
class Arrivals<Value> {
  readonly #what: string;
  readonly #arrived: Value[] = [];
  readonly #waiting: { resolve(value: Value): void; reject(error: TroupeError): void }[] = [];

  constructor(what: string) {
    this.#what = what;
  }

  add(value: Value): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(value);
    else waiting.resolve(value);
  }

  next(): Promise<Value> {
    const [first] = this.#arrived.splice(0, 1).map((value) => ({ value }));
    if (first !== undefined) return Promise.resolve(first.value);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  close(): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new TroupeError('closed', `the stub server was closed before ${this.#what}`));
    }
  }
}

class StubServer implements StubModelServer {
  readonly #server: Server;
  readonly #replies: StubReply[];
  readonly #requests: StubRequest[] = [];
  readonly #arrivals = new Arrivals<StubRequest>('a request came');
  readonly #cuts = new Arrivals<void>('a connection was cut');
  #url = '';

  constructor(replies: readonly StubReply[]) {
    this.#replies = [...checkReplies(replies)];
    this.#server = createServer((request, response) => {
      // A request that is no JSON, or breaks off, is answered by cutting its connection.
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  get url(): string {
    return this.#url;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
        this.#server.off('error', reject);
        // A TCP server that listens has an address with a port.
        const { port } = this.#server.address() as AddressInfo;
        this.#url = `http://127.0.0.1:${port}`;
        resolve();
      });
    });
  }

  reply(...replies: readonly StubReply[]): void {
    this.#replies.push(...checkReplies(replies));
  }

  requests(): readonly StubRequest[] {
    return this.#requests;
  }

  nextRequest(): Promise<StubRequest> {
    return this.#arrivals.next();
  }

  nextCut(): Promise<void> {
    return this.#cuts.next();
  }

  async close(): Promise<void> {
    this.#cuts.close();
    this.#arrivals.close();
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await record(request);
    this.#requests.push(seen);
    response.on('close', () => {
      if (!response.writableFinished) this.#cuts.add();
    });
    this.#arrivals.add(seen);
    const [path] = seen.path.split('?');
    const wire = wires.find(([end]) => path?.endsWith(end))?.[1];
    if (request.method !== 'POST' || wire === undefined) {
      const message = `no such route: ${request.method} ${seen.path}`;
      respondJson(response, 404, anthropicWire.error({ type: 'error', status: 404, message }));
      return;
    }
    const next: StubReply = this.#replies.shift() ?? {
      type: 'error',
      status: 500,
      message: 'the stub has no reply left',
    };
    const answer = { id: `msg_${this.#requests.length}`, model: String(seen.body['model']) };
    perform(next, { wire, answer, response, isStreamed: seen.body['stream'] === true });
  }
}

async function record(request: IncomingMessage): Promise<StubRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (!secretHeaders.has(name)) headers[name] = String(value);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const body: unknown = text === '' ? {} : JSON.parse(text);
  // A client of this API sends one JSON object.
  return {
    path: request.url ?? '/',
    headers,
    body: body as Readonly<Record<string, unknown>>,
    keys: Object.keys(request.headers)
      .filter((name) => secretHeaders.has(name))
      .sort(),
  };
}

type Performance = {
  readonly wire: StubWire;
  readonly answer: StubAnswer;
  readonly response: ServerResponse;
  readonly isStreamed: boolean;
};

function perform(reply: StubReply, { wire, answer, response, isStreamed }: Performance): void {
  switch (reply.type) {
    case 'message':
      if (isStreamed) stream(response, wire.events(reply, answer)).end();
      else respondJson(response, 200, wire.body(reply, answer));
      return;
    case 'error':
      if (reply.retryAfterSeconds !== undefined) {
        response.setHeader('retry-after', reply.retryAfterSeconds);
      }
      respondJson(response, reply.status, wire.error(reply));
      return;
    case 'stream_error':
      stream(response, [
        ...wire.opening('', answer),
        wire.streamError(reply.errorType, reply.message),
      ]).end();
      return;
    case 'disconnect':
      // The text is flushed to the socket before it is cut.
      stream(response, wire.opening(reply.text ?? '', answer)).write('\n', () =>
        response.destroy(),
      );
      return;
    case 'unfinished':
      stream(response, wire.opening(reply.text ?? '', answer)).end();
      return;
    case 'malformed':
      if (isStreamed) stream(response, [wire.malformed]).end();
      else respondJson(response, 200, '{"type":');
      return;
    case 'redirect':
      response.writeHead(307, { location: reply.location }).end();
      return;
    case 'silence':
      if (reply.text !== undefined) stream(response, wire.opening(reply.text, answer));
      return;
    default:
      unreachable(reply);
  }
}

function respondJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

function stream(response: ServerResponse, events: readonly string[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
  return response;
}
