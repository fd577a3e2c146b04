// Checks that a reader of events that does not read is bounded in bytes as well as in number (O1).
import { describe, expect, it } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import type { TroupeEvent } from '#src/events/event-types.js';
import { EventBus } from '#src/events/events.js';
import { supervise, within } from './supervisor/support.ts';

const long = 'x'.repeat(1_000_000);

/** What is waiting for a reader once nothing more comes. */
async function unread(reader: AsyncIterable<TroupeEvent>): Promise<readonly TroupeEvent[]> {
  const events: TroupeEvent[] = [];
  for await (const event of reader) events.push(event);
  return events;
}

function textBytes(events: readonly TroupeEvent[]): number {
  return 2 * JSON.stringify(events).length;
}

describe('a reader that does not read', () => {
  it('holds no more than 32 MiB of events, is told once what it missed, and goes on (O1)', async () => {
    const bus = new EventBus(systemClock);
    const reader = bus.read();
    for (let at = 0; at < 100; at += 1) {
      bus.emit('log', {}, { level: 'warn', message: `${at} ${long}` });
      bus.emit('supervisor_paused', {}, {});
    }
    bus.close();

    const events = await within(unread(reader), 'the end of the events');

    const [first, ...rest] = events;
    expect(first).toMatchObject({ type: 'events_dropped', missedFrom: 1 });
    const missedTo = first?.type === 'events_dropped' ? first.missedTo : 0;
    const seqs = Array.from({ length: 200 - missedTo }, (_, at) => missedTo + 1 + at);
    expect(rest.map(({ seq }) => seq)).toEqual(seqs);
    expect(textBytes(events)).toBeLessThan(2 * 16 * 1_048_576);
  });

  it('loses deltas within the same bytes (O1)', async () => {
    const bus = new EventBus(systemClock);
    const reader = bus.read();
    bus.emit('supervisor_paused', {}, {});
    for (let at = 0; at < 100; at += 1) bus.emit('model_delta', {}, { kind: 'text', text: long });
    bus.emit('supervisor_resumed', {}, {});
    bus.close();

    const events = await within(unread(reader), 'the end of the events');

    expect(textBytes(events)).toBeLessThan(2 * 16 * 1_048_576);
    expect(events.filter(({ type }) => type === 'events_dropped')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'supervisor_resumed', seq: 2 });
  });

  it('costs one that keeps up nothing (O1)', async () => {
    const bus = new EventBus(systemClock);
    const reader = bus.read();
    for (let at = 0; at < 100; at += 1) {
      bus.emit('log', {}, { level: 'warn', message: long });
      expect((await reader.next()).value).toMatchObject({ seq: at + 1, type: 'log' });
    }
  });

  it('of one supervisor among others that read (O1)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done', repeat: true }] });
    const lazy = supervisor.events();

    for (let at = 0; at < 24; at += 1) {
      await within(supervisor.delegate({ goal: `${at} ${long}` }), 'the end of a task');
    }
    await within(supervisor.close(), 'close');

    const events = await within(unread(lazy), 'the end of the events');
    expect(events[0]).toMatchObject({ type: 'events_dropped', missedFrom: 1 });
    expect(textBytes(events)).toBeLessThan(2 * 16 * 1_048_576);
    expect(events.at(-1)).toEqual(watch.events.at(-1));
  });
});
