// Owns how fast a job goes now: the ends of its last moments, not of all of it. Pure.

/** How many tasks had ended at a moment of the job. */
export type RateSample = { readonly ended: number; readonly atMs: number };

/** What a rate looks back on at least: shorter spans jump, and so do fewer ends, however long they took. */
const leastMs = 5_000;
const leastEnds = 16;

/** The start of a job. */
export const firstSamples: readonly RateSample[] = [{ ended: 0, atMs: 0 }];

/** The samples with the one of now; those that no rate looks back on any more are dropped. */
export function addSample(samples: readonly RateSample[], now: RateSample): readonly RateSample[] {
  if (samples.at(-1)?.ended === now.ended) return samples;
  const from = samples.findLastIndex(({ ended, atMs }) => {
    return now.atMs - atMs >= leastMs && now.ended - ended >= leastEnds;
  });
  return [...samples.slice(Math.max(0, from)), now];
}

/** Ends per second; it sinks while nothing ends. */
export function perSecondOf(samples: readonly RateSample[], now: RateSample): number {
  const { ended, atMs } = samples[0] ?? { ended: 0, atMs: 0 };
  return now.atMs > atMs ? ((now.ended - ended) / (now.atMs - atMs)) * 1_000 : 0;
}
