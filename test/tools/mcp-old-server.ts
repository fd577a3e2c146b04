// Owns MCP servers over HTTP as they were before 2026, by hand: with sessions that end, and with server-sent events. Starts no test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEveryTest } from '../support/after-every-test.ts';

const open: (() => Promise<void>)[] = [];

afterEveryTest(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

export type OldServer = {
  readonly url: string;
  /** Requests so far, as `POST /mcp`, those of a call with its tool. */
  readonly requests: string[];
  readonly tokens: Set<string | string[] | undefined>;
  /** Ends every session: what belonged to one is refused with 404, every stream of events is cut. */
  forget(): void;
};

type Message = {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
};

/** `sessions`: streamable HTTP with session ids. `events`: a stream at GET, messages at another address, POST refused. */
export async function startOldServer(kind: 'sessions' | 'events'): Promise<OldServer> {
  const requests: string[] = [];
  const tokens: OldServer['tokens'] = new Set();
  const sessions = new Map<string, ServerResponse | null>();
  let made = 0;
  const begin = (stream: ServerResponse | null): string => {
    made += 1;
    sessions.set(String(made), stream);
    return String(made);
  };
  const server = createServer((request, response) => {
    tokens.add(request.headers['x-token']);
    const { method, url = '' } = request;
    const say = (more = '') => requests.push(`${method} ${url.split('?')[0]}${more}`);
    const refuse = (status: number): void => void response.writeHead(status).end('refused');
    if (method === 'GET' && kind === 'events' && url === '/mcp') {
      say();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const id = begin(response);
      response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      return;
    }
    void bodyOf(request).then((message) => {
      say(message?.method === 'tools/call' ? ` ${message.params?.name}` : '');
      if (method !== 'POST' || message === null) return refuse(405);
      if (kind === 'events') {
        const id = new URL(url, 'http://x').searchParams.get('session') ?? '';
        if (id === '') return refuse(405);
        const stream = sessions.get(id);
        if (stream === undefined || stream === null) return refuse(404);
        response.writeHead(202).end();
        const answer = answerTo(message, id);
        if (answer !== null) stream.write(`event: message\ndata: ${answer}\n\n`);
        return;
      }
      const id = String(request.headers['mcp-session-id'] ?? '');
      if (message.method === 'initialize') {
        const headers = { 'content-type': 'application/json', 'mcp-session-id': begin(null) };
        response.writeHead(200, headers).end(answerTo(message, ''));
        return;
      }
      if (!sessions.has(id)) return refuse(id === '' ? 400 : 404);
      const answer = answerTo(message, id);
      if (answer === null) response.writeHead(202).end();
      else if (message.params?.name !== 'hang') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    tokens,
    forget() {
      for (const stream of sessions.values()) stream?.end();
      sessions.clear();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Message | null> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? null : JSON.parse(text);
}

/** `where` answers with its session; `hang` never, over a stream. */
function answerTo({ id, method, params }: Message, session: string): string | null {
  if (id === undefined || (params?.name === 'hang' && method === 'tools/call')) return null;
  const inputSchema = { type: 'object' };
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '0' },
    },
    'tools/list': {
      tools: [
        { name: 'where', inputSchema },
        { name: 'hang', inputSchema },
      ],
    },
    'tools/call': { content: [{ type: 'text', text: `session ${session}` }] },
  };
  const result = results[method];
  const error = { code: -32_601, message: 'unknown method' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
}
