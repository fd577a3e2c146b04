// Checks progress in groups: what a callback gets of a tree of real threads, when, and what its own failure costs.
import { describe, expect, it } from 'vitest';
import type { ProgressGroup } from '#src/index.js';
import { delegate, tree } from './family.ts';
import { calls, supervise, superviseInManualTime, toolFixture, within } from './support.ts';

describe('progress in groups', () => {
  it('holds what a tree of depth 2 did, in order, and a last group before the outcome (C43)', async () => {
    const { script, agents } = tree(2, 2);
    const { supervisor, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxSpawnDepth: 2 },
    });
    const groups: ProgressGroup[] = [];
    supervisor.collectProgress({
      onBatch: (group) => groups.push(group),
      maxItems: 10,
      everyMs: 600_000,
    });

    const handle = supervisor.start({ goal: 'a', agent: 'level0' });
    const groupsAtEnd = handle.result().then(() => groups.length);
    await within(handle.result(), 'the outcome');

    expect(await groupsAtEnd).toBe(groups.length);
    expect(groups.map(({ isFinal }) => isFinal)).toEqual([
      ...groups.slice(1).map(() => false),
      true,
    ]);
    expect(groups.slice(0, -1).every(({ items }) => items.length === 10)).toBe(true);
    expect(groups.every(({ taskId }) => taskId === handle.id)).toBe(true);
    const items = groups.flatMap((group) => group.items);
    const types = ['task_started', 'turn_started', 'tool_started', 'tool_completed'];
    expect(items.map(({ seq }) => seq)).toEqual(
      watch.events
        .filter(({ type }) => [...types, 'task_completed'].includes(type))
        .map(({ seq }) => seq),
    );
    expect(items.filter(({ type }) => type === 'task_completed')).toHaveLength(7);
    expect(new Set(items.map(({ depth }) => depth))).toEqual(new Set([0, 1, 2]));
  });

  it('of one child leaves its siblings and its parent out (C43)', async () => {
    const { script, agents } = tree(2, 2);
    const { supervisor, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxSpawnDepth: 2 },
    });
    const groups: ProgressGroup[] = [];
    let wanted = '';
    const stop = supervisor.on('task_queued', ({ depth, taskId = '' }) => {
      if (depth !== 1 || wanted !== '') return;
      wanted = taskId;
      const onBatch = (group: ProgressGroup): void => void groups.push(group);
      supervisor.collectProgress({ taskId, onBatch, everyMs: 600_000 });
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the outcome');
    stop();

    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ taskId: wanted, isFinal: true });
    const ended = groups[0]?.items.filter(({ type }) => type === 'task_completed') ?? [];
    const { agent } = watch.of('task_completed').find(({ taskId }) => taskId === wanted)
      ?.outcome ?? { agent: null };
    expect(ended).toHaveLength(3);
    expect(ended.at(-1)).toMatchObject({ taskId: wanted, status: 'completed' });
    expect(ended.slice(0, 2)).toMatchObject([{ parentId: agent?.id }, { parentId: agent?.id }]);
  });

  it('is handed over when its time is up, on the clock of the supervisor (C43)', async () => {
    const { supervisor, watch, clock } = superviseInManualTime({ default: [{ hang: true }] });
    const groups: ProgressGroup[] = [];
    const stop = supervisor.collectProgress({
      onBatch: (group) => groups.push(group),
      everyMs: 500,
    });
    supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    await clock.advance(499);
    expect(groups).toEqual([]);
    await clock.advance(1);
    expect(groups.map(({ items }) => items.map(({ type }) => type))).toEqual([
      ['task_started', 'turn_started'],
    ]);
    stop();
    await within(supervisor.close(), 'close');
    expect(groups).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no room');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no room'))],
  ])('with a callback that %s is told, and changes nothing (C43, O3)', async (_, onBatch) => {
    const { supervisor, watch } = supervise(calls('echo'), { tools: [toolFixture('plain')] });
    supervisor.collectProgress({ onBatch, everyMs: 600_000 });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await watch.next('log');

    expect(outcome.status).toBe('completed');
    expect(watch.of('log')).toMatchObject([
      { message: 'a callback for progress failed', failure: { message: 'no room' } },
    ]);
  });

  it('refuses what cannot be (C43)', () => {
    const { supervisor } = supervise({ default: [] });
    const onBatch = (): void => {};

    expect(() => supervisor.collectProgress({ onBatch, everyMs: 0 })).toThrow(/everyMs is 0/);
    expect(() => supervisor.collectProgress({ onBatch, taskId: 't9' })).toThrow(
      expect.objectContaining({ code: 'unknown_task' }),
    );
  });
});
