// Owns how the cost of one thing is taken: windows around its work, with rest before and after, less what a window costs itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { difference, divided, type Figures, medians } from './figures.ts';
import type { Meter } from './meter.ts';
import type { Subject, Work } from './subjects.ts';

/** In which host and threads come to rest: what a thread does after an outcome belongs to the window too. */
const restMs = 4;
const nothing = async (): Promise<void> => {};

/** What the meter reports of one thing: the mean of `count`, or the median of so many that are prepared one by one. */
export async function costOf(
  { work, besides }: Subject,
  meter: Meter,
  count: number,
): Promise<Figures> {
  const cost = await costOfWork(work, meter, count);
  if (besides === undefined) return meter.report(cost);
  const rest = await costOfWork(besides.work, meter, count);
  return meter.report(divided(difference(cost, rest), besides.share));
}

/** Does the thing, uncounted, until it is warm. */
export async function warmUp({ work, besides }: Subject, count: number): Promise<void> {
  await repeat(work, count);
  if (besides !== undefined) await repeat(besides.work, count);
}

async function repeat({ prepare, perform }: Work, count: number): Promise<void> {
  if (prepare === undefined) return perform(count);
  for (let done = 0; done < count; done += 1) {
    await prepare();
    await perform(1);
  }
}

async function costOfWork(work: Work, meter: Meter, count: number): Promise<Figures> {
  const windows: Figures[] = [];
  const isPrepared = work.prepare !== undefined;
  for (let taken = 0; taken < (isPrepared ? count : 1); taken += 1) {
    const empty = await window(meter, nothing);
    await work.prepare?.();
    const full = await window(meter, () => work.perform(isPrepared ? 1 : count));
    windows.push(difference(full, empty));
  }
  // One that the compiler or a neighbour disturbed does not count.
  return isPrepared ? medians(windows) : divided(windows[0] ?? {}, count);
}

async function window(meter: Meter, work: () => Promise<void>): Promise<Figures> {
  await meter.prepare();
  await sleep(restMs);
  const before = await meter.read();
  await work();
  await sleep(restMs);
  return difference(await meter.read(), before);
}
