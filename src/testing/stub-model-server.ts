// Owns a loopback HTTP server that speaks Anthropic's /v1/messages from a script. For tests; knows no SDK and no key.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TroupeError, unreachable } from '../errors.ts';
import {
  errorBody,
  messageBody,
  messageEvents,
  openingEvents,
  type StubReply,
  sse,
} from './stub-reply.ts';

/** A request as the server saw it; headers that carry keys are left out. */
export type StubRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A loopback server that answers like Anthropic's API. */
export interface StubModelServer {
  /** What to pass as the base URL. */
  readonly url: string;
  /** Adds replies; each request takes the next one, and gets a 500 when none is left. */
  reply(...replies: readonly StubReply[]): void;
  requests(): readonly StubRequest[];
  /** Resolves when the next request has arrived that nobody waited for yet. */
  nextRequest(): Promise<StubRequest>;
  /** Cuts every connection and frees the port; idempotent. */
  close(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startStubModelServer(
  replies: readonly StubReply[] = [],
): Promise<StubModelServer> {
  const stub = new StubServer(replies);
  await stub.listen();
  return stub;
}

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'cookie']);

class StubServer implements StubModelServer {
  readonly #server: Server;
  readonly #replies: StubReply[];
  readonly #requests: StubRequest[] = [];
  readonly #waiting: { resolve(request: StubRequest): void; reject(error: TroupeError): void }[] =
    [];
  #awaited = 0;
  #url = '';

  constructor(replies: readonly StubReply[]) {
    this.#replies = [...replies];
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
    this.#replies.push(...replies);
  }

  requests(): readonly StubRequest[] {
    return this.#requests;
  }

  nextRequest(): Promise<StubRequest> {
    const arrived = this.#requests[this.#awaited];
    this.#awaited += 1;
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new TroupeError('closed', 'the stub server was closed before a request came'));
    }
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await record(request);
    this.#requests.push(seen);
    this.#waiting.shift()?.resolve(seen);
    if (request.method !== 'POST' || !seen.path.startsWith('/v1/messages')) {
      respondJson(response, 404, errorBody(404, `no such route: ${request.method} ${seen.path}`));
      return;
    }
    const next = this.#replies.shift();
    if (next === undefined)
      respondJson(response, 500, errorBody(500, 'the stub has no reply left'));
    else perform(next, seen, `msg_${this.#requests.length}`, response);
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
  return { path: request.url ?? '/', headers, body: body as Readonly<Record<string, unknown>> };
}

function perform(reply: StubReply, seen: StubRequest, id: string, response: ServerResponse): void {
  const model = String(seen.body['model']);
  switch (reply.type) {
    case 'message':
      if (seen.body['stream'] !== true) respondJson(response, 200, messageBody(reply, id, model));
      else stream(response, messageEvents(reply, id, model)).end();
      return;
    case 'error':
      if (reply.retryAfterSeconds !== undefined) {
        response.setHeader('retry-after', reply.retryAfterSeconds);
      }
      respondJson(response, reply.status, errorBody(reply.status, reply.message ?? 'stub error'));
      return;
    case 'stream_error':
      stream(response, [
        ...openingEvents('', id, model),
        sse('error', { error: { type: reply.errorType, message: reply.message } }),
      ]).end();
      return;
    case 'disconnect':
      // The text is flushed to the socket before it is cut.
      stream(response, openingEvents(reply.text ?? '', id, model)).write('\n', () =>
        response.destroy(),
      );
      return;
    case 'unfinished':
      stream(response, openingEvents(reply.text ?? '', id, model)).end();
      return;
    case 'malformed':
      if (seen.body['stream'] !== true) respondJson(response, 200, '{"type":');
      else stream(response, ['event: message_start\ndata: {"type":\n\n']).end();
      return;
    case 'silence':
      if (reply.text !== undefined) stream(response, openingEvents(reply.text, id, model));
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
