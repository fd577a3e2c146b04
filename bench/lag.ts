// Owns how late the host's event loop is while something else goes on.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const resolutionMs = 1;

/** The p99 delay in ms of a timer of 1 ms on the host, beyond that 1 ms, as long as `work` takes. */
export async function hostLagP99(work: () => Promise<unknown>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  // An interval counts from one tick to the next: work that never yields needs a tick on each side.
  await sleep(5);
  await work();
  await sleep(5);
  histogram.disable();
  return Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs);
}
