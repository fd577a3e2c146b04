// Checks the event stream: one gapless sequence, readers that resume or fall behind, listeners that fail (O1, O3).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure } from '#src/base/failures.js';
import type { EventFilter, TroupeEvent } from '#src/events/event-types.js';
import { EventBus } from '#src/events/events.js';
import { ManualClock } from '#src/testing.js';

const ringEntries = 10_000;

function openBus(): EventBus {
  return new EventBus(new ManualClock());
}

function emitMany(bus: EventBus, count: number): void {
  for (let at = 0; at < count; at += 1) bus.emit('supervisor_paused', {}, {});
}

function delta(bus: EventBus, text: string): void {
  bus.emit('model_delta', { agentId: 'a' }, { kind: 'text', text });
}

/** Everything a reader has by now; the bus is closed for it. */
async function drained(bus: EventBus, reader: AsyncIterable<TroupeEvent>): Promise<TroupeEvent[]> {
  bus.close();
  const events: TroupeEvent[] = [];
  for await (const event of reader) events.push(event);
  return events;
}

describe('the sequence', () => {
  it('is gapless, and a delta carries the number of the event it follows (O1)', async () => {
    const bus = openBus();
    const reader = bus.read();
    delta(bus, 'first of all');
    emitMany(bus, 2);
    delta(bus, 'between');
    emitMany(bus, 1);

    const events = await drained(bus, reader);

    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [0, 'model_delta'],
      [1, 'supervisor_paused'],
      [2, 'supervisor_paused'],
      [2, 'model_delta'],
      [3, 'supervisor_paused'],
    ]);
    expect(bus.lastSeq).toBe(3);
  });

  it('resumes after any number, with what was kept and what comes (O1)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.nat(20), fc.nat(40), async (before, after, afterSeq) => {
        const bus = openBus();
        emitMany(bus, before);
        const reader = bus.read({ afterSeq });
        emitMany(bus, after);

        const seqs = (await drained(bus, reader)).map(({ seq }) => seq);
        const expected = Array.from({ length: before + after }, (_, at) => at + 1);
        expect(seqs).toEqual(expected.filter((seq) => seq > afterSeq));
      }),
      { numRuns: 50 },
    );
  });

  it('carries time, type, subject and payload', async () => {
    const clock = new ManualClock(1_000);
    const bus = new EventBus(clock);
    const reader = bus.read();
    await clock.advance(234);
    bus.emit('turn_started', { agentId: 'a', path: '/a', depth: 0, taskId: 't1' }, { turn: 2 });

    expect(await drained(bus, reader)).toEqual([
      {
        seq: 1,
        at: 1_234,
        type: 'turn_started',
        agentId: 'a',
        path: '/a',
        depth: 0,
        taskId: 't1',
        turn: 2,
      },
    ]);
  });
});

describe('a reader', () => {
  it('gets only the types it asked for', async () => {
    const bus = openBus();
    bus.emit('supervisor_paused', {}, {});
    const reader = bus.read({ types: ['supervisor_resumed'], afterSeq: 0 });
    bus.emit('supervisor_resumed', {}, {});
    bus.emit('supervisor_paused', {}, {});

    expect((await drained(bus, reader)).map(({ type }) => type)).toEqual(['supervisor_resumed']);
  });

  it('waits for the next event, several times at once', async () => {
    const bus = openBus();
    const reader = bus.read();
    const waiting = [reader.next(), reader.next(), reader.next()];
    emitMany(bus, 2);
    bus.close();

    const results = await Promise.all(waiting);

    expect(results.map(({ done, value }) => done === true || value.seq)).toEqual([1, 2, true]);
  });

  it('ends when it leaves, when its signal aborts, when the bus closes, and stays ended', async () => {
    const bus = openBus();
    const leaving = bus.read();
    const controller = new AbortController();
    const aborted = bus.read({ signal: controller.signal });
    const late = bus.read({ signal: AbortSignal.abort() });
    emitMany(bus, 1);

    await leaving.return?.();
    const waiting = [await aborted.next(), aborted.next()];
    controller.abort();
    emitMany(bus, 1);

    expect((await leaving.next()).done).toBe(true);
    expect((await waiting[1])?.done).toBe(true);
    expect((await late.next()).done).toBe(true);
    bus.close();
    const afterwards = bus.read({ afterSeq: 1 });
    expect((await afterwards.next()).value).toMatchObject({ seq: 2 });
    expect((await afterwards.next()).done).toBe(true);
  });

  it('is handed nothing any more once it has ended, also when it ended before it began', () => {
    const bus = openBus();
    emitMany(bus, 1);
    const handed: string[] = [];
    const aborted = bus.read({ signal: AbortSignal.abort(), afterSeq: 0 });
    Object.assign(aborted, { push: () => handed.push('aborted') });
    const living = bus.read();
    Object.assign(living, { push: () => handed.push('living') });

    emitMany(bus, 1);

    expect(handed).toEqual(['living']);
  });

  it('is told once what it missed, then goes on from there (O1)', async () => {
    const bus = openBus();
    const reader = bus.read();
    const total = ringEntries * 5 + 500;
    emitMany(bus, total);

    const events = await drained(bus, reader);
    const [first] = events;
    const overruns = events.filter(({ type }) => type === 'events_dropped');

    expect(overruns).toHaveLength(1);
    expect(first).toMatchObject({ type: 'events_dropped', missedFrom: 1 });
    // What it was told it missed and what it got are everything, once.
    const missedTo = first?.type === 'events_dropped' ? first.missedTo : 0;
    const got = events.slice(1).map(({ seq }) => seq);
    expect(got[0]).toBe(missedTo + 1);
    expect(got).toEqual(got.map((_, at) => missedTo + 1 + at));
    expect(got.at(-1)).toBe(total);
  });

  it('that resumes after more than is kept gets one events_dropped and then all that is kept (O1)', async () => {
    const bus = openBus();
    emitMany(bus, ringEntries + 100);

    const reader = bus.read({ afterSeq: 10 });
    emitMany(bus, 1);

    const events = await drained(bus, reader);

    expect(events[0]).toMatchObject({ type: 'events_dropped', missedFrom: 11, missedTo: 100 });
    expect(events[1]?.seq).toBe(101);
    expect(events).toHaveLength(1 + ringEntries + 1);
  });

  const long = 'x'.repeat(3_000_000);

  it.each<readonly [string, (bus: EventBus) => void]>([
    [
      'a goal',
      (bus) => bus.emit('task_queued', {}, { goal: long, position: 0, index: 0, width: 1 }),
    ],
    ['a log', (bus) => bus.emit('log', {}, { level: 'warn', message: long })],
    [
      'the detail of a failure',
      (bus) => {
        const why = failure('crashed', 'late', { detail: { stack: [long] } });
        bus.emit('thread_lost', {}, { threads: 1, failure: why });
      },
    ],
  ])('keeps no more than 16 MiB, where %s is long (O1)', async (_what, emit) => {
    const bus = openBus();
    for (let at = 0; at < 5; at += 1) emit(bus);

    const events = await drained(bus, bus.read({ afterSeq: 0 }));

    expect(events.map(({ seq, type }) => [seq, type === 'events_dropped'])).toEqual([
      [expect.anything(), true],
      [4, false],
      [5, false],
    ]);
  });

  it('loses deltas first, and nothing else, while it lags a little (O1)', async () => {
    const bus = openBus();
    const reader = bus.read();
    for (let at = 0; at < 3_000; at += 1) {
      delta(bus, 'piece');
      emitMany(bus, 1);
    }

    const events = await drained(bus, reader);
    const seqs = events.filter(({ type }) => type === 'supervisor_paused').map(({ seq }) => seq);

    expect(seqs).toEqual(Array.from({ length: 3_000 }, (_, at) => at + 1));
    expect(events.length).toBeLessThan(6_000);
  });

  it.each([{ afterSeq: -1 }, { afterSeq: 1.5 }, { afterSeq: Number.NaN }])(
    'refuses %o, naming the value',
    (filter: EventFilter) => {
      expect(() => openBus().read(filter)).toThrow(
        expect.objectContaining({
          code: 'invalid_options',
          message: expect.stringContaining(String(filter.afterSeq)),
        }),
      );
    },
  );
});

describe('a listener', () => {
  it('hears its type until it stops listening', () => {
    const bus = openBus();
    const received: number[] = [];
    const stop = bus.on('supervisor_paused', ({ seq }) => received.push(seq));
    emitMany(bus, 2);
    bus.emit('supervisor_resumed', {}, {});
    stop();
    stop();
    emitMany(bus, 1);

    expect(received).toEqual([1, 2]);
  });

  it('that throws or rejects is reported as log and changes nothing (O3)', async () => {
    const bus = openBus();
    const reader = bus.read();
    const received: number[] = [];
    bus.on('supervisor_paused', () => {
      throw new Error('thrown');
    });
    bus.on('supervisor_paused', () => Promise.reject(new Error('rejected')));
    bus.on('supervisor_paused', ({ seq }) => received.push(seq));

    emitMany(bus, 1);
    await new Promise<void>((resolve) => setImmediate(resolve));

    const events = await drained(bus, reader);
    expect(received).toEqual([1]);
    expect(events.map(({ type }) => type)).toEqual(['supervisor_paused', 'log', 'log']);
    const logged = events.flatMap((event) =>
      event.type === 'log' ? [[event.level, event.message, event.failure?.message]] : [],
    );
    expect(logged).toEqual([
      ['error', 'a listener of supervisor_paused failed', 'thrown'],
      ['error', 'a listener of supervisor_paused failed', 'rejected'],
    ]);
  });

  it('of log that throws is reported once, and not for ever (O3)', () => {
    const bus = openBus();
    let calls = 0;
    bus.on('log', () => {
      calls += 1;
      throw new Error('again');
    });
    bus.emit('log', {}, { level: 'warn', message: 'once' });

    bus.emit('log', {}, { level: 'warn', message: 'twice' });

    expect(calls).toBe(3);
    expect(bus.kept().map((event) => event.type === 'log' && event.message)).toEqual([
      'once',
      'a listener of log failed',
      'twice',
    ]);
  });
});
