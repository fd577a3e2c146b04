// Checks supervisors on one journal while the calendar of the machine goes backwards.
import { expect, it } from 'vitest';
import { type Clock, systemClock } from '#src/base/clock.js';
import { gatedModel } from './gated-model.ts';
import { file, leftBehind, on, recoveredBy } from './journal-rig.ts';
import { within } from './support.ts';

it('what was left unfinished goes on in its order and with its time left when the clock was set back a day (J2)', async () => {
  const path = file();
  const dayMs = 24 * 3_600_000;
  const back: Clock = Object.create(systemClock, {
    wallTime: { value: () => systemClock.wallTime() - dayMs },
  });
  const first = await leftBehind(path, { goal: 'first', totalTimeoutMs: 60_000 });
  const gated = gatedModel();
  const between = on(path, { clock: back, model: gated });
  const second = between.start({ goal: 'second' });
  await within(second.accepted(), 'the acceptance');
  await gated.isAsked(2);
  await within(between.close(), 'the close');

  const next = on(path, { clock: back });
  const recovered = await within(recoveredBy(next), 'the list');
  const outcome = await within((await next.handle(first)).result(), 'the outcome');

  expect(recovered.map(({ goal }) => goal)).toEqual(['first', 'second']);
  expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
  expect(outcome.durationMs).toBeLessThan(60_000);
});
