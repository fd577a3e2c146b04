// Owns the MCP servers of the tests: processes by their fixture, and one on loopback. Starts no test.
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { connectMcp, type McpConnections } from '#src/index.js';
import type { ToolResult } from '#src/protocol/history.js';
import { callTool } from '#src/tools/call.js';
import type { ToolContext } from '#src/tools/tool.js';
// @ts-expect-error a fixture is plain JavaScript
import { serverWithTools } from '../fixtures/mcp/tools.js';
import { toolContext } from '../fixtures/tool-context.ts';
import { afterEveryTest } from '../support/after-every-test.ts';

const open: (() => Promise<void>)[] = [];

afterEveryTest(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** How to start a server of `test/fixtures/mcp`. */
export function command(fixture: string, env: Readonly<Record<string, string>> = {}) {
  const file = fileURLToPath(new URL(`../fixtures/mcp/${fixture}.js`, import.meta.url));
  return { command: process.execPath, args: [file], env };
}

/** Connected until the test ends. */
export async function connected(
  ...given: Parameters<typeof connectMcp>
): Promise<McpConnections & { call: Call }> {
  const mcp = await connectMcp(...given);
  open.push(() => mcp.close());
  const call: Call = (name, input = {}, context = {}) => {
    const tool = mcp.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return callTool(tool, input, toolContext(context));
  };
  return { ...mcp, call };
}

type Call = (name: string, input?: unknown, context?: Partial<ToolContext>) => Promise<ToolResult>;

export type HttpServer = {
  readonly url: string;
  readonly headers: (string | string[] | undefined)[];
  /** Resolves when a call hangs. */
  readonly hanging: Promise<void>;
  /** Resolves when it was given up. */
  readonly givenUp: Promise<void>;
  /** Breaks every connection and listens no more. */
  die(): Promise<void>;
};

/** A real server on loopback; `x-token` of each request is kept. */
export async function startHttpServer(): Promise<HttpServer> {
  const seen = new EventEmitter();
  const untilEvent = (event: string) => once(seen, event).then(() => {});
  const [hanging, givenUp] = [untilEvent('hanging'), untilEvent('given up')];
  const { fetch } = createMcpHandler(() => serverWithTools((event: string) => seen.emit(event)));
  const headers: HttpServer['headers'] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers['x-token']);
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const hasBody = request.method === 'POST';
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      signal: abort.signal,
      ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' } : {}),
    });
    void fetch(asked).then(({ status, headers: replyHeaders, body }) => {
      response.writeHead(status, Object.fromEntries(replyHeaders));
      if (body === null) response.end();
      // A connection that broke is what some of the tests are about.
      else
        Readable.fromWeb(body)
          .on('error', () => response.destroy())
          .pipe(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let dying: Promise<void> | null = null;
  const die = (): Promise<void> => {
    dying ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return dying;
  };
  open.push(die);
  return { url: `http://127.0.0.1:${port}/mcp`, headers, hanging, givenUp, die };
}
