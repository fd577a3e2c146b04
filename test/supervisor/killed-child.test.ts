// Checks what a killed child costs while its thread is not gone: its slot, its slot, its lease of a credential (S7, C41).
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { anthropicWire } from '#src/testing/stub-anthropic.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { toolFixture, turns, watched, within } from './support.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A provider that has `stuck` call the tool, and everybody else wait until it is let; `keys` are by goal. */
async function provider(file: string) {
  const keys = new Map<string, string>();
  let letGo = (): void => {};
  const isLet = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let tell = (): void => {};
  const secondAsks = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const goal = ['stuck', 'second', 'third'].find((each) => body.includes(`${each} goal`)) ?? '';
    keys.set(goal, String(request.headers['x-api-key'] ?? request.headers.authorization));
    if (goal === 'second') tell();
    if (goal === 'second') await isLet;
    const toolCalls = goal === 'stuck' ? [{ id: 'call_1', name: 'native', input: { file } }] : [];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = { type: 'message', text: 'said', toolCalls } as const;
    response.end(anthropicWire.events(message, { id: 'msg_1', model: 'claude-sonnet-5' }).join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  closing.push(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  });
  return { url: `http://127.0.0.1:${port}`, keys, secondAsks, letGo };
}

/** The process that the native call waits for, once it is there. */
async function pidIn(file: string): Promise<number> {
  const read = (): number => {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      return 0;
    }
  };
  while (read() === 0) await turns(1);
  return read();
}

describe('a killed child', () => {
  it('keeps its slot, its slot and its credential lease charged until its thread is gone (S7, C41)', async () => {
    const file = join(temporaryFolder(), 'process');
    const { url, keys, secondAsks, letGo } = await provider(file);
    const { supervisor, watch } = watched(
      createSupervisor({
        model: 'anthropic:claude-sonnet-5',
        credentials: [{ provider: 'anthropic', baseUrl: url, keys: ['sk-one', 'sk-two'] }],
        tools: [toolFixture('hangs')],
        limits: { maxLiveAgents: 2 },
        timeouts: { interruptGraceMs: 1, stopGraceMs: 1 },
        logDirectory: false,
      }),
    );
    const stuck = supervisor.start({ goal: 'stuck goal' });
    await watch.next('tool_started');
    const pid = await within(pidIn(file), 'the native call');
    let isFree = false;
    const free = (): void => {
      if (!isFree) process.kill(pid, 'SIGKILL');
      isFree = true;
    };
    onTestFinished(free);
    const interrupted = stuck.interrupt();
    const second = supervisor.start({ goal: 'second goal' });
    const third = supervisor.start({ goal: 'third goal' });

    await watch.next('turn_started', ({ taskId }) => taskId === second.id);
    await within(secondAsks, 'the second call');

    expect(supervisor.totals()).toMatchObject({ live: 2, queued: 1 });
    expect([stuck.status(), third.status()]).toEqual(['running', 'queued']);
    expect(keys.get('second'), 'the other key: the first is leased').not.toBe(keys.get('stuck'));

    free();
    await within(interrupted, 'the receipts');
    await within(third.result(), 'the third, on the slot that is free now');

    expect((await stuck.result()).exitReason).toBe('killed');
    expect(keys.get('third'), 'the lease that is free now').toBe(keys.get('stuck'));
    letGo();
    await within(second.result(), 'the second');
  });
});
