// Proves that an MCP server that answers without end is an error of its call, whichever way it is spoken to.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { within } from '../supervisor/support.ts';
import { connected } from './mcp-support.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

const piece = 'x'.repeat(65_536);

/** Writes without end, and tells how much it could when it is cut. */
function flood(response: ServerResponse, tell: (sent: number) => void): void {
  let sent = 0;
  response.on('close', () => tell(sent));
  const go = (): void => {
    if (response.destroyed) return;
    sent += piece.length;
    if (response.write(piece)) setImmediate(go);
    else response.once('drain', go);
  };
  go();
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : JSON.parse(text);
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'far', version: '1' },
  },
  'tools/list': { tools: [{ name: 'talk', inputSchema: { type: 'object' } }] },
};

it.each([
  ['application/json', '{"jsonrpc":"2.0","id":"'],
  ['text/event-stream', 'data: '],
])('a call that is answered without end fails, over %s', async (type, opening) => {
  let tell = (_sent: number): void => {};
  const cut = new Promise<number>((resolve) => {
    tell = resolve;
  });
  const server = createServer((request, response) => {
    void bodyOf(request).then(({ id, method }) => {
      const result = results[String(method)];
      if (method === 'tools/call') {
        response.writeHead(200, { 'content-type': type }).write(opening);
        flood(response, tell);
      } else if (request.method !== 'POST') response.writeHead(405).end();
      else if (id === undefined) response.writeHead(202).end();
      else {
        const error = { code: -32_601, message: 'unknown' };
        const answer = result === undefined ? { error } : { result };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const mcp = await connected({ mcpServers: { far: { url: `http://127.0.0.1:${port}/` } } });

  const result = await within(mcp.call('mcp__far__talk'), 'the end of the call');

  expect(result.isError).toBe(true);
  expect(result.content).toMatch(/MCP server "far".*more than 10485760 bytes/);
  expect(await within(cut, 'the cut of the connection')).toBeLessThan(32 * 1_048_576);
});
