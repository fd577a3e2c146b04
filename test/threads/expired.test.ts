// Checks that a message whose asker was told that its time is over is not started on a thread any more (M8).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActorSystemOptions } from '#src/actor.js';
import { ManualClock } from '#src/base/clock.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import {
  fixture,
  patienceMs,
  rejection,
  spawnProbe,
  testSystem,
  within,
} from '../support/systems.ts';

const long = { timeoutMs: patienceMs };
const short = { timeoutMs: 50 };

/** An actor at work, and the way to let it go on. */
async function busy(isBlocking: boolean, options: ActorSystemOptions = {}) {
  const { system, reasons } = testSystem(options);
  const { ref: watcher, next: nextMessage } = spawnProbe(system);
  const until = join(temporaryFolder(), 'done');
  const actor = await within(system.spawn(fixture('busy')), 'the actor');
  actor.tell({ name: 'work', until, isBlocking, watcher: watcher.address });
  await nextMessage();
  return { actor, reasons, system, finish: () => writeFileSync(until, '') };
}

describe.each([
  ['blocks', true],
  ['awaits', false],
])('an ask to a thread that %s beyond its deadline', (_what, isBlocking) => {
  it('is not started, and those around it are, in their order (M8)', async () => {
    const { actor, reasons, system, finish } = await busy(isBlocking);
    const early = actor.ask({ name: 'early' }, long);
    const late = ['x', 'y'].map((name) => rejection(actor.ask({ name }, short)));
    const tail = actor.ask({ name: 'tail' }, long);
    for (const error of await Promise.all(late)) expect(error.code).toBe('ask_timeout');

    finish();

    expect(await within(early, 'the early one')).toEqual(['work', 'early']);
    expect(await within(tail, 'the last one')).toEqual(['work', 'early', 'tail']);
    expect(reasons()).toEqual({ expired: 2 });
    expect(system.ledger()).toMatchObject({ pending: 0, deadLettered: 2 });
  });

  it('is not started on a clock that is moved by hand either, and not before its time (M8)', async () => {
    const clock = new ManualClock();
    const { actor, reasons, finish } = await busy(isBlocking, { clock });
    const in100 = { timeoutMs: 100 };
    const kept = actor.ask({ name: 'kept' }, { timeoutMs: 101 });
    const late = rejection(actor.ask({ name: 'late' }, in100));
    const tail = actor.ask({ name: 'tail' }, { timeoutMs: 101 });
    await clock.advance(100);
    expect((await late).code).toBe('ask_timeout');

    finish();

    expect(await within(kept, 'the one with time left')).toEqual(['work', 'kept']);
    expect(await within(tail, 'the last one')).toEqual(['work', 'kept', 'tail']);
    expect(reasons()).toEqual({ expired: 1 });
  });
});

it('an ask that waited for the start of its actor beyond its deadline is not started (M8)', async () => {
  const { system, reasons } = testSystem({ threads: { max: 1 } });
  const first = await within(system.spawn(fixture('busy')), 'the first actor');
  const spawning = system.spawn(fixture('busy'), { name: 'second' });
  const second = system.find('/second');
  if (second === null) throw new Error('the second actor is not there');
  expect((await rejection(second.ask({ name: 'late' }, short))).code).toBe('ask_timeout');

  await within(first.stop(), 'a free thread');
  const ref = await within(spawning, 'the second actor');

  expect(await within(ref.ask({ name: 'tail' }, long), 'its answer')).toEqual(['tail']);
  expect(reasons()).toEqual({ expired: 1 });
});
