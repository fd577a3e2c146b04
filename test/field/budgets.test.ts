// Checks what users say of cost: no cap per child, children left out of the sum, and a herd at the first refusal.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor, type Usage } from '#src/index.js';
import { anthropicWire } from '#src/testing/stub-anthropic.js';
import { ManualClock } from '#src/testing.js';
import { gate, inShort, toolFixture, turns, watched, within } from '../supervisor/support.ts';
import { directing } from '../support/directed.ts';
import { acting, cameTimes, goalOf } from './support.ts';

/** Three children that use 4,000 tokens a turn, or what they are given, and never end by themselves. */
const burning = acting((request) => {
  if (goalOf(request) !== 'plan') {
    const outputTokens = Math.min(4_000, request.maxOutputTokens ?? 4_000);
    return { text: 'more', calls: [['echo', { text: 'x' }]], outputTokens };
  }
  if (request.turn > 1) return { text: 'plan done' };
  const tasks = ['a', 'b', 'c'].map((goal) => ({ goal }));
  return { calls: [['delegate_task', { toolsets: [], tasks }]] };
});
const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

describe('F13', () => {
  it('a child that burns tokens is stopped at its own cap, and its sibling and parent are not (F13)', async () => {
    const { supervisor, watch } = watched(
      createSupervisor({
        model: burning,
        tools: [delegateTaskTool(), toolFixture('plain')],
        budget: { maxTokens: 30_000 },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'plan done']);
    const ends = watch.of('task_completed').map(({ outcome: each }) => each);
    const burners = ends.filter(({ exitReason }) => exitReason === 'budget');
    expect(burners).toHaveLength(3);
    for (const { error, text, usage } of burners) {
      expect([error?.code, text]).toEqual(['budget_tokens', 'more']);
      expect(tokensOf(usage.own)).toBeGreaterThan(15_000);
      expect(tokensOf(usage.own)).toBeLessThanOrEqual(30_000);
    }
  });

  it('children that ask at once cannot overshoot the tree’s budget together (F13)', async () => {
    const { supervisor, watch } = watched(
      createSupervisor({
        model: burning,
        tools: [delegateTaskTool(), toolFixture('plain')],
        budget: { perTree: { maxTokens: 40_000 } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(tokensOf(outcome.usage.subtree)).toBeLessThanOrEqual(40_000);
    expect(tokensOf(outcome.usage.subtree)).toBeGreaterThan(20_000);
    const children = watch.of('task_completed').filter(({ depth }) => depth === 1);
    expect(children.map(({ outcome: each }) => each.exitReason)).toEqual(Array(3).fill('budget'));
  });
});

describe('F14', () => {
  it('totals hold what is below while it still runs, branch by branch, and the sum is everything (F14)', async () => {
    const { opened: after, open } = gate();
    const batch = { toolsets: [], tasks: [{ goal: 'a' }, { goal: 'b' }] };
    const part = [{ calls: [['none', {}]] as const }, { after, text: 'done' }];
    const { supervisor, watch } = directing(
      { plan: [{ calls: [['delegate_task', batch]] }, { text: 'done' }], a: part, b: part },
      { tools: [delegateTaskTool()] },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await cameTimes(watch, 'turn_started', 2, (event) => event.depth === 1);
    while (supervisor.totals(handle.id).usage.modelCalls < 3) await watch.anything();

    const live = supervisor.totals(handle.id);
    const [root] = supervisor.tree();

    expect(live).toMatchObject({ usage: { modelCalls: 3, inputTokens: 30 }, agents: 3 });
    expect(root?.usage).toEqual(live.usage);
    expect(root?.children.map(({ usage }) => usage.inputTokens)).toEqual([10, 10]);
    open();
    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome.usage).toMatchObject({
      own: { modelCalls: 2, inputTokens: 20 },
      subtree: { modelCalls: 6, inputTokens: 60 },
    });
    expect(supervisor.totals().usage).toEqual(outcome.usage.subtree);
  });

  it('what a child uses counts against the limit of whoever delegated it, who is warned before (F13, F14)', async () => {
    const { supervisor, watch } = watched(
      createSupervisor({
        model: acting((request) =>
          goalOf(request) === 'plan'
            ? { text: 'next', calls: [['delegate_task', { goal: 'part', toolsets: [] }]] }
            : { text: 'part done' },
        ),
        tools: [delegateTaskTool()],
        budget: { perTree: { maxTurns: 7 } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(outcome.exitReason).toBe('max_turns');
    expect(outcome.usage.subtree.modelCalls).toBe(7);
    expect(outcome.usage.own.modelCalls).toBe(4);
    // The seventh is refused; the sixth was the first beyond four fifths.
    expect(watch.of('budget_warning')).toMatchObject([
      { scope: 'tree', limit: 'maxTurns', used: 6, max: 7, depth: 1 },
    ]);
  });
});

describe('F23', () => {
  it('a wait that a provider names is kept once for all children: no herd, no key burnt, no child fails (F23)', async () => {
    const clock = new ManualClock();
    const opensAt = clock.now() + 30_000;
    const calls: { readonly key: string; readonly at: number; readonly status: number }[] = [];
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        const { headers } = request;
        const key = String(headers['x-api-key'] ?? headers.authorization);
        const at = clock.now();
        const status = at < opensAt ? 429 : 200;
        calls.push({ key, at, status });
        if (status === 429) {
          const retryAfter = String(Math.ceil((opensAt - at) / 1_000));
          response.writeHead(429, {
            'content-type': 'application/json',
            'retry-after': retryAfter,
          });
          const error = { type: 'rate_limit_error', message: 'slow down' };
          response.end(JSON.stringify({ type: 'error', error }));
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const about = { id: `msg_${calls.length}`, model: 'claude-sonnet-5' };
        response.end(anthropicWire.events({ type: 'message', text: 'done' }, about).join(''));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A TCP server that listens has an address with a port.
    const { port } = server.address() as AddressInfo;
    const keys = ['sk-herd-one', 'sk-herd-two'];
    const baseUrl = `http://127.0.0.1:${port}`;
    const { supervisor, watch } = watched(
      createSupervisor({
        model: 'anthropic:claude-sonnet-5',
        credentials: [{ provider: 'anthropic', baseUrl, keys }],
        clock,
        timeouts: { idleTimeoutMs: 86_400_000 },
      }),
    );
    try {
      const tasks = Array.from({ length: 12 }, (_, at) => ({ goal: `Task ${at}.` }));
      const all = supervisor.delegate(tasks);
      let isDone = false;
      void all.then(() => {
        isDone = true;
      });
      const moving = (async () => {
        while (!isDone) {
          // Answers come over real sockets: time must not run away from them.
          await turns(5);
          await clock.advance(1_000);
        }
      })();
      await within(moving, 'the outcomes');
      const outcomes = await all;

      expect(outcomes.map(({ status }) => status)).toEqual(Array(12).fill('completed'));
      const early = calls.filter(({ status }) => status === 429);
      // One call each at most before the refusals were known, one that went over to the other key, and not one more
      // until the time that was named.
      expect(early.length).toBeLessThanOrEqual(13);
      expect(calls.filter(({ status }) => status === 200)).toHaveLength(12);
      expect(supervisor.totals().live).toBe(0);
      expect(watch.of('task_completed')).toHaveLength(12);
    } finally {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    }
  });
});
