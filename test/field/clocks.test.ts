// Checks what users say of clocks: they end what makes progress, thinks, runs a tool or waits for a person, or there are none.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { type ApprovalAnswer, createSupervisor, defineTool, type ToolContext } from '#src/index.js';
import { ManualClock } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { delegate, handsTo, named } from '../supervisor/family.ts';
import {
  calls,
  gate,
  inShort,
  superviseInManualTime,
  toolFixture,
  turns,
  watched,
  within,
} from '../supervisor/support.ts';
import { directing, envelopeIn, resultsIn } from '../support/directed.ts';
import { acting, givenUp, goalOf } from './support.ts';

const hourMs = 3_600_000;

describe('F4', () => {
  it('a child that does something every 599 s works for over an hour, and its parent waits that long (F4)', async () => {
    const rounds = 7;
    const busy = Array.from({ length: rounds }, (_, at) => ({
      delayMs: 599_000,
      toolCalls: [{ name: 'echo', input: { text: `${at}` } }],
    }));
    const { supervisor, watch, clock } = superviseInManualTime(
      { agents: { boss: [handsTo('busy'), { text: 'done' }], busy: [...busy, { text: 'built' }] } },
      { tools: [delegate, toolFixture('plain')], agents: named('boss', 'busy') },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    for (let turn = 1; turn <= rounds; turn += 1) {
      await watch.next('turn_started', (event) => event.depth === 1 && event.turn === turn);
      await clock.advance(599_000);
    }
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(outcome.durationMs).toBeGreaterThan(hourMs);
    expect(watch.of('timeout_fired')).toEqual([]);
  });
});

describe('F5', () => {
  it('an hour of thinking is no idleness, for the child and for those above it (F5)', async () => {
    const clock = new ManualClock();
    let think = (): void => {};
    const thought = gate();
    const model = acting(async (request, call) => {
      if (goalOf(request) === 'top') {
        if (request.turn === 2) return { text: 'top done' };
        return { calls: [['delegate_task', { goal: 'hard', toolsets: [] }]] };
      }
      think = () => call.onDelta({ type: 'thinking', text: 'hm ' });
      await Promise.race([thought.opened, givenUp(call)]);
      return { text: 'hard done' };
    });
    const { supervisor, watch } = watched(
      createSupervisor({ model, clock, tools: [delegateTaskTool()] }),
    );
    const handle = supervisor.start({ goal: 'top' });
    await watch.next('turn_started', ({ depth }) => depth === 1);

    for (let round = 1; round <= 8; round += 1) {
      await clock.advance(450_000);
      think();
      // Deltas are gathered for a moment before they go over.
      while (watch.of('model_delta').length < round) await within(clock.advance(50), 'the delta');
    }
    expect([watch.of('timeout_fired'), handle.status()]).toEqual([[], 'waiting']);
    thought.open();

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome).toMatchObject({ status: 'completed', text: 'top done' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(hourMs);
  });

  it('a build of an hour that beats is no idleness either, on the host (F5)', async () => {
    const context = gate<ToolContext>();
    const built = gate();
    const build = defineTool({
      name: 'build',
      description: 'Builds for long.',
      input: z.object({}),
      async run(_input, tool) {
        context.open(tool);
        await built.opened;
        return 'built';
      },
    });
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        agents: {
          boss: [handsTo('builder'), { text: 'done' }],
          builder: [{ toolCalls: [{ name: 'build', input: {} }] }, { text: 'built' }],
        },
      },
      { tools: [delegate, build], agents: named('boss', 'builder') },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    const tool = await within(context.opened, 'the tool');

    for (let round = 0; round < 8; round += 1) {
      await clock.advance(450_000);
      tool.heartbeat();
    }
    expect([watch.of('idle_warning'), handle.status()]).toEqual([[], 'waiting']);
    built.open();

    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'done']);
  });
});

describe('in a loop that never awaits (F5)', () => {
  it('beats of a child’s spinning tool keep the parent that waits for it alive too (F5)', async () => {
    const file = join(temporaryFolder(), 'beats');
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        agents: {
          boss: [handsTo('spinner'), { text: 'done' }],
          spinner: [{ toolCalls: [{ name: 'beat', input: { file } }] }],
        },
      },
      {
        tools: [delegate, toolFixture('stubborn')],
        agents: named('boss', 'spinner'),
        // Its thread has to beat while this one looks without a pause: behind it in line it could starve.
        threads: { profile: { niceness: 0 } },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await watch.next('tool_started', ({ name }) => name === 'beat');
    const beats = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);

    for (let round = 0; round < 4; round += 1) {
      const before = beats();
      const beaten = (async () => {
        // A count of two more has a whole beat in it.
        while (!(beats() >= before + 2)) await turns(1);
      })();
      await within(beaten, 'a heartbeat');
      await clock.advance(450_000);
    }

    expect([watch.of('timeout_fired'), handle.status()]).toEqual([[], 'waiting']);
    await within(handle.interrupt(), 'the receipts');
  });
});

describe('F6', () => {
  it('two days of a person’s silence cost neither the child that asks nor its parent any time (F6)', async () => {
    const answer = gate<ApprovalAnswer>();
    const push = defineTool({
      name: 'push',
      description: 'Needs a word.',
      input: z.object({}),
      needsApproval: true,
      run: () => 'pushed',
    });
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        agents: {
          boss: [handsTo('pusher'), { text: 'done' }],
          pusher: [{ toolCalls: [{ name: 'push', input: {} }] }, { text: 'pushed' }],
        },
      },
      {
        tools: [delegate, push],
        agents: named('boss', 'pusher'),
        approve: () => answer.opened,
        timeouts: { totalTimeoutMs: hourMs, toolTimeoutMs: 60_000, approvalTimeoutMs: 72 * hourMs },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await watch.next('approval_requested');

    await clock.advance(48 * hourMs);
    expect(handle.status()).toBe('waiting');
    answer.open('approve');

    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'done']);
    expect([...watch.of('idle_warning'), ...watch.of('timeout_fired')]).toEqual([]);
  });
});

describe('F7', () => {
  it('a child that hangs is ended without anything configured, warned of before, and named with its phase (F7)', async () => {
    const clock = new ManualClock();
    const { supervisor, watch, model } = directing(
      {
        plan: [
          { calls: [['delegate_task', { goal: 'stuck', toolsets: [] }]] },
          { text: 'without it, then' },
        ],
        stuck: [{ hang: true }],
      },
      { tools: [delegateTaskTool()], clock, logDirectory: false },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('turn_started', ({ depth }) => depth === 1);

    await clock.advance(480_000);
    expect(watch.of('idle_warning').map(({ depth, limitMs }) => [depth, limitMs])).toContainEqual([
      1, 600_000,
    ]);
    expect(supervisor.tree()).toMatchObject([
      { phase: 'waiting_for_child', children: [{ phase: 'waiting_for_model', goal: 'stuck' }] },
    ]);
    await clock.advance(120_000);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'completed' });
    const [[content, isError] = ['', true]] = resultsIn(model.requests('plan')[1]);
    expect(envelopeIn({ content, isError }).results).toMatchObject([
      {
        status: 'timeout',
        error: { message: 'no activity for 600000 ms while waiting for model' },
      },
    ]);
    expect(watch.of('timeout_fired').map(({ depth }) => depth)).toEqual([1]);
  });

  it('of three levels that hang together only the lowest is ended (F7)', async () => {
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        agents: {
          top: [handsTo('middle'), { text: 'top done' }],
          middle: [handsTo('bottom'), { text: 'middle done' }],
          bottom: [{ hang: true }],
        },
      },
      {
        tools: [delegate],
        agents: named('top', 'middle', 'bottom'),
        limits: { maxSpawnDepth: 2 },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    await watch.next('turn_started', ({ depth }) => depth === 2);

    await clock.advance(600_000);

    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'top done']);
    expect(watch.of('timeout_fired').map(({ depth }) => depth)).toEqual([2]);
    expect(watch.of('task_completed').map(({ outcome }) => outcome.status)).toEqual([
      'timeout',
      'completed',
      'completed',
    ]);
  });

  it('a run that hangs in its tool is told from one that only waits (F7)', async () => {
    const { supervisor, watch, clock } = superviseInManualTime(calls('deaf'), {
      tools: [toolFixture('stubborn')],
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    await clock.advance(600_000);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      status: 'timeout',
      partial: { phase: 'in_tool', toolTrace: [{ name: 'deaf' }] },
    });
  });
});
