// Checks that streams cost one listener together, and none once they are over.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { EventBus } from '#src/events/events.js';
import { StreamRouter } from '#src/supervisor/stream-router.js';
import type { StreamItem } from '#src/tasks/stream-items.js';

/** A bus that counts who listens to it. */
function counted() {
  const bus = new EventBus(new ManualClock());
  let listeners = 0;
  const on: EventBus['on'] = (type, listener) => {
    listeners += 1;
    const stop = bus.on(type, listener);
    return () => {
      listeners -= 1;
      stop();
    };
  };
  const router = new StreamRouter({ on, kept: () => bus.kept() });
  return { bus, router, listeners: () => listeners };
}

const closed = { children: false, tools: false, fromSeq: 0 };

describe('the streams of a supervisor', () => {
  it('share their listeners, which end with the last of them', () => {
    const { bus, router, listeners } = counted();
    const seen: string[] = [];
    const onItem = (item: StreamItem): void => {
      seen.push(`${item.taskId}: ${item.type === 'text' ? item.text : item.type}`);
    };
    const first = router.open({ ...closed, taskId: 't1', onItem });
    const alone = listeners();
    const rest = ['t2', 't3'].map((taskId) => router.open({ ...closed, taskId, onItem }));

    expect(listeners()).toBe(alone);
    bus.emit(
      'model_delta',
      { taskId: 't2', agentId: 'a2', path: '/a2' },
      { kind: 'text', text: 'hi' },
    );
    bus.emit(
      'model_delta',
      { taskId: 't4', agentId: 'a4', path: '/a4' },
      { kind: 'text', text: 'no' },
    );
    expect(seen).toEqual(['t2: hi']);

    for (const stop of [first, ...rest]) stop();
    // Stopping twice is no second stop.
    first();
    expect(listeners()).toBe(0);
  });

  it('know descendants that began before the stream did, by the events that are kept', () => {
    const { bus, router } = counted();
    const root = { taskId: 't1', agentId: 'a1', path: '/a1' };
    const child = { taskId: 't2', agentId: 'a2', parentId: 'a1', path: '/a1/a2' };
    const grandchild = { taskId: 't3', agentId: 'a3', parentId: 'a2', path: '/a1/a2/a3' };
    bus.emit('task_started', root, {});
    bus.emit('task_started', child, {});
    const texts: string[] = [];
    const onItem = (item: StreamItem): void => {
      if (item.type === 'text') texts.push(item.text);
    };
    const stop = router.open({ ...closed, children: true, taskId: 't1', onItem });

    bus.emit('model_delta', grandchild, { kind: 'text', text: 'deep' });
    bus.emit(
      'model_delta',
      { ...child, parentId: 'b1', agentId: 'b2' },
      { kind: 'text', text: 'other' },
    );
    expect(texts).toEqual(['deep']);
    stop();
  });
});
