// Checks the time of one tool call: what ends, what goes on, where the tool runs (V8).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { ManualClock } from '#src/testing.js';
import { directing } from '../support/directed.ts';
import {
  answered,
  calls,
  gate,
  inShort,
  superviseInManualTime,
  superviseUnacknowledged,
  toolFixture,
  turns,
  within,
} from './support.ts';

const nothing = z.object({});
const never = new Promise<never>(() => {});

describe('a tool timeout', () => {
  it('ends the one call of a thread tool, and the run goes on (V8)', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(
      calls('wait', ['echo', { text: 'quick' }]),
      {
        tools: [toolFixture('stubborn')],
        timeouts: { toolTimeoutMs: 1_000 },
      },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_completed');
    await watch.next('tool_started', ({ name }) => name === 'wait');

    await clock.advance(1_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([
      ['the tool took longer than 1000 ms', true],
      ['quick', false],
    ]);
    expect(watch.of('timeout_fired')).toMatchObject([{ clock: 'tool', limitMs: 1_000 }]);
    const failed = watch.of('tool_completed').find(({ name }) => name === 'wait');
    expect(failed?.failure?.code).toBe('tool_timeout');
  });

  it('ends the one call of a host tool and aborts its signal; its own limit wins (V8)', async () => {
    let reason: unknown;
    const running = gate();
    const slow = defineTool({
      name: 'slow',
      description: 'Never ends by itself.',
      input: nothing,
      timeoutMs: 500,
      run(_input, { signal }) {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        running.open();
        return never;
      },
    });
    const { supervisor, clock, model } = superviseInManualTime(calls('slow'), {
      tools: [slow],
      timeouts: { toolTimeoutMs: 60_000 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await within(running.opened, 'the tool');
    await clock.advance(499);
    expect(reason).toBeUndefined();

    await clock.advance(1);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(reason).toMatchObject({ code: 'tool_timeout' });
    expect(answered(model)).toEqual([['the tool took longer than 500 ms', true]]);
  });

  it('ends the run with its thread when a tool ignores it (V8)', async () => {
    const { supervisor, watch, clock } = superviseUnacknowledged(calls('ignore'), {
      tools: [toolFixture('stubborn')],
      timeouts: { toolTimeoutMs: 1_000, interruptGraceMs: 100, stopGraceMs: 100 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    await clock.advance(1_300);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['error', 'tool_timeout', 'calling']);
    expect(outcome.error?.message).toBe('ignore went on after its 1000 ms were over');
  });

  it('ends a call whose agent is parked, and its children, and nothing else (V7, V8)', async () => {
    const delegate = defineTool({
      name: 'delegate',
      description: 'Delegates.',
      input: nothing,
      timeoutMs: 1_000,
      async run(_input, tool) {
        await tool.delegate([{ goal: 'b', agent: 'slow' }]);
        // What it finished in the turn after its time would be kept.
        return new Promise<never>(() => {});
      },
    });
    const { supervisor, watch, clock, model } = superviseInManualTime(
      { ...calls('delegate'), agents: { slow: [{ hang: true }] } },
      { tools: [delegate], agents: [{ name: 'slow' }], limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('agent_parked');
    await watch.next('turn_started', ({ depth }) => depth === 1);

    await clock.advance(1_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([['the tool took longer than 1000 ms', true]]);
    expect(watch.of('task_completed')[0]?.outcome.status).toBe('interrupted');
  });

  it('ends the children of a thread tool with its call, and nothing else (V8)', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(
      {
        default: [
          { toolCalls: [{ name: 'hand_over_briefly', input: { agent: 'slow' } }] },
          { text: 'done' },
        ],
        agents: { slow: [{ hang: true }] },
      },
      {
        tools: [toolFixture('family')],
        agents: [{ name: 'slow' }],
      },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started', ({ depth }) => depth === 1);

    await clock.advance(1_000);
    const child = await watch.next('task_completed', ({ depth }) => depth === 1);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([['the tool took longer than 1000 ms', true]]);
    expect(child.outcome.error?.message).toBe(
      'the call that delegated it was ended: the call was given up',
    );
  });

  it('leaves the end of a background task to be told when a thread tool waited in vain (V8)', async () => {
    const part = gate();
    const childEnded = gate();
    const clock = new ManualClock();
    const { supervisor, watch } = directing(
      {
        plan: [
          { calls: [['begin', { goal: 'part' }]] },
          { calls: [['join_briefly', { taskId: 't2', timeoutMs: 600_000 }]] },
          { after: childEnded.opened, text: 'waiting' },
          { text: 'heard of it' },
        ],
        part: [{ after: part.opened, text: 'part done' }],
      },
      { tools: [toolFixture('background')], clock },
    );
    supervisor.on('task_completed', ({ depth }) => depth === 1 && childEnded.open());
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('tool_started', ({ name }) => name === 'join_briefly');
    await watch.next('turn_started', ({ depth }) => depth === 1);
    await turns();

    await clock.advance(1_000);
    await watch.next('turn_started', ({ depth, turn }) => depth === 0 && turn === 3);

    part.open();
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'heard of it']);
    expect(watch.of('steering_updated')).toMatchObject([{ status: 'delivered' }]);
  });

  it('leaves a call alone that was done before', async () => {
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        default: [
          { toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
          { delayMs: 5_000, text: 'done' },
        ],
      },
      { tools: [toolFixture('plain')], timeouts: { toolTimeoutMs: 1_000 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started', ({ turn }) => turn === 2);
    await turns();

    await clock.advance(5_000);

    expect((await within(handle.result(), 'the outcome')).status).toBe('completed');
    expect(watch.of('timeout_fired')).toEqual([]);
  });
});
