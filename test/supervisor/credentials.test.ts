// Checks credential pools from the option to the wire: leases, rotation, limits, and that no key is anywhere else.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type SupervisorOptions } from '#src/index.js';
import { anthropicWire } from '#src/testing/stub-anthropic.js';
import { ManualClock } from '#src/testing.js';
import { watched, within } from './support.ts';

type Answer = { readonly status: number; readonly headers?: Record<string, string>; text?: string };
type Provider = { readonly url: string; readonly keys: string[]; close(): Promise<void> };

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A provider that sees keys, which the stub server of the package leaves out on purpose. */
async function provider(
  answer: (key: string, count: number, body: string) => Answer | Promise<Answer>,
): Promise<Provider> {
  const keys: string[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const key = keyIn(request.headers);
    keys.push(key);
    const { status, headers = {}, text = 'done' } = await answer(key, keys.length, body);
    if (status === 200) {
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      response.end(
        anthropicWire
          .events({ type: 'message', text }, { id: 'msg_1', model: 'claude-sonnet-5' })
          .join(''),
      );
      return;
    }
    response.writeHead(status, { ...headers, 'content-type': 'application/json' });
    const error = { type: 'stub_error', message: `refused ${key}` };
    response.end(JSON.stringify({ type: 'error', error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  open.push(close);
  return { url: `http://127.0.0.1:${port}`, keys, close };
}

function keyIn(headers: IncomingHttpHeaders): string {
  return String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');
}

function pooled(baseUrl: string, keys: readonly string[], more: Partial<SupervisorOptions> = {}) {
  return watched(
    createSupervisor({
      model: 'anthropic:claude-sonnet-5',
      credentials: [{ provider: 'anthropic', baseUrl, keys }],
      ...more,
    }),
  );
}

describe('credentials', () => {
  it('two parallel children lease different keys; both are the parent’s pool (C41)', async () => {
    const childKeys = new Set<string>();
    let release: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await provider(async (key, _count, body) => {
      if (!body.includes('leaf goal')) return { status: 200 };
      childKeys.add(key);
      if (childKeys.size === 2) release();
      await both;
      return { status: 200, text: 'leaf' };
    });
    const { supervisor } = pooled(url, ['sk-one', 'sk-two']);

    const outcomes = await within(
      supervisor.delegate([{ goal: 'leaf goal 1' }, { goal: 'leaf goal 2' }]),
      'two children at once, which hold each other until both have asked',
    );

    expect(outcomes.map(({ text }) => text)).toEqual(['leaf', 'leaf']);
    expect([...childKeys].sort()).toEqual(['sk-one', 'sk-two']);
  });

  it('a 429 that names a wait rotates its key at once when another is free; the event names labels (C41)', async () => {
    // Time stands still: whatever waited for the minute that is named would never end.
    const clock = new ManualClock();
    const { url, keys } = await provider((key) =>
      key === 'sk-one' ? { status: 429, headers: { 'retry-after': '60' } } : { status: 200 },
    );
    const { supervisor, watch } = pooled(url, ['sk-one', 'sk-two'], { clock });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(keys).toEqual(['sk-one', 'sk-two']);
    expect(watch.of('credential_rotated')).toMatchObject([
      {
        agentId: outcome.agent.id,
        path: outcome.agent.path,
        endpoint: `anthropic at ${url}`,
        from: 'key 1',
        to: 'key 2',
        reason: 'rate_limited',
      },
    ]);
  });

  it('a pool whose keys are all refused fails its runs credentials_exhausted (C41)', async () => {
    const { url } = await provider((key) => ({ status: key === 'sk-one' ? 401 : 402 }));
    const { supervisor } = pooled(url, ['sk-one', 'sk-two']);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        code: 'credentials_exhausted',
        retryable: false,
        message: expect.stringContaining('every credential'),
      },
    });
  });

  it('a key appears in no event, outcome, transcript or error, whatever the provider says (C41)', async () => {
    const key = fc.stringMatching(/^sk-[A-Za-z0-9_/+-]{12,30}$/);
    const statuses = fc.array(fc.constantFrom(200, 400, 401, 402, 403, 404), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
        statuses,
        async (keys, replies) => {
          const { url, close } = await provider((_, count) => ({
            status: replies[count - 1] ?? 200,
          }));
          // One thread serves both.
          const { supervisor, watch } = pooled(url, keys, { limits: { maxLiveAgents: 1 } });
          const outcomes = await supervisor.delegate([{ goal: 'a' }, { goal: 'b' }]);
          const transcripts = outcomes.map(({ taskId }) => supervisor.transcript(taskId));
          await supervisor.close();
          await close();

          const everything = JSON.stringify([outcomes, transcripts, watch.events]);
          for (const secret of keys) {
            expect(everything).not.toContain(secret);
            expect(everything).not.toContain(encodeURIComponent(secret));
          }
        },
      ),
      { numRuns: 5 },
    );
  });

  it('a wait in a provider’s line is no activity: the idle clock ends it, and its call leaves the line (V8)', async () => {
    const clock = new ManualClock();
    const { url, keys } = await provider(() => ({
      status: 429,
      headers: { 'retry-after': '200' },
    }));
    const { supervisor } = pooled(url, ['sk-one'], { clock, timeouts: { idleTimeoutMs: 60_000 } });
    const result = supervisor.delegate({ goal: 'a' });
    await until(() => keys.length === 1 && clock.pending > 1, 'the refusal');

    let isDone = false;
    void result.then(() => {
      isDone = true;
    });
    await advanceUntil(clock, () => isDone);

    expect(await result).toMatchObject({ status: 'timeout', exitReason: 'idle_timeout' });
    expect(keys).toHaveLength(1);
  });

  it('of one address are never sent to another, though the environment names it', async () => {
    const [own, other] = [
      await provider(() => ({ status: 200 })),
      await provider(() => ({ status: 200 })),
    ];
    const before = process.env['ANTHROPIC_BASE_URL'];
    process.env['ANTHROPIC_BASE_URL'] = other.url;
    try {
      const { supervisor } = pooled(own.url, ['sk-own']);
      await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    } finally {
      if (before === undefined) delete process.env['ANTHROPIC_BASE_URL'];
      else process.env['ANTHROPIC_BASE_URL'] = before;
    }

    expect(own.keys).toEqual(['sk-own']);
    expect(other.keys).toEqual([]);
  });

  it.each([
    ['no list', 'sk-secret-value', 'credentials'],
    [
      'an unknown provider',
      [{ provider: 'sk-secret-value', keys: ['k'] }],
      'credentials.0.provider',
    ],
    ['no key', [{ provider: 'anthropic', keys: [] }], 'credentials.0.keys'],
    [
      'a key with a space',
      [{ provider: 'anthropic', keys: ['sk-secret value'] }],
      'credentials.0.keys.0',
    ],
    [
      'one key twice',
      [{ provider: 'anthropic', keys: ['sk-secret', 'sk-secret '] }],
      'credentials.0.keys',
    ],
    [
      'a label that is the key',
      [{ provider: 'anthropic', keys: [{ key: 'sk-secret-value', label: 'my sk-secret-value' }] }],
      'credentials.0.keys',
    ],
    [
      'an address with a password',
      [{ provider: 'anthropic', baseUrl: 'http://sk-secret:x@h', keys: ['k'] }],
      'credentials.0.baseUrl',
    ],
    [
      'two pools for one address',
      [
        { provider: 'anthropic', keys: ['sk-secret'] },
        { provider: 'anthropic', baseUrl: 'https://api.anthropic.com/', keys: ['k'] },
      ],
      'credentials.1',
    ],
    ['a field too many', [{ provider: 'anthropic', keys: ['k'], 'sk-secret': 1 }], 'credentials.0'],
  ])('with %s are refused, and what was given is not shown', (_, credentials, field) => {
    const error = thrownBy(() =>
      createSupervisor({ model: 'offline', credentials: credentials as never }),
    );

    expect(error).toMatchObject({ code: 'invalid_options', detail: { field } });
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('sk-secret');
  });
});

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a throw');
}

/** Lets real threads and sockets work until it is so. */
async function until(isSo: () => boolean, what: string): Promise<void> {
  const looking = (async () => {
    while (!isSo()) await new Promise<void>((resolve) => setImmediate(resolve));
  })();
  await within(looking, what);
}

/** Moves time on in steps: waits are set by answers that come over real sockets. */
async function advanceUntil(clock: ManualClock, isSo: () => boolean): Promise<void> {
  const moving = (async () => {
    while (!isSo()) await clock.advance(5_000);
  })();
  await within(moving, 'the calls that follow');
}
