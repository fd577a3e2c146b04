// Owns how one Savina workload is measured: actors on threads, raw workers and inline actors in turn, a rate each.
import { type Comparison, compare } from '../harness.ts';
import { type Cast, type Crew, inlineCrew, rawCrew, threadCrew } from './crews.ts';

/** What is played, and how often in a round. */
export type Workload = {
  /** Names the parameters. */
  readonly what: string;
  /** How many of the things that the rate counts one run does. */
  readonly count: number;
  readonly cast: Cast;
  /** Does the work once; throws when its result is wrong. */
  readonly play: (crew: Crew) => Promise<void>;
  readonly rounds: number;
};

/** Who plays, ours first. */
export const savinaVariants = ['troupe', 'raw workers', 'troupe inline'];

/** All crews stand ready from before the first round to after the last; building them is not measured. */
export async function comparePlays(workload: Workload): Promise<Comparison> {
  const { what, cast, rounds } = workload;
  await using threads = await threadCrew(cast);
  await using raw = await rawCrew(cast);
  await using inline = await inlineCrew(cast);
  const contestant = (name: string, crew: Crew) => ({
    name,
    measure: () => rateOf(workload, crew),
  });
  return await compare({
    what,
    unit: 'per_s',
    figure: 'median',
    rounds,
    warmups: 2,
    ours: contestant('troupe', threads),
    baselines: [contestant('raw workers', raw), contestant('troupe inline', inline)],
    targets: [],
  });
}

async function rateOf({ count, play }: Workload, crew: Crew): Promise<readonly number[]> {
  const begun = performance.now();
  await play(crew);
  return [count / ((performance.now() - begun) / 1_000)];
}

/** Every pair of so many actors. */
export function everyPair(actors: number): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  for (let left = 0; left < actors; left += 1) {
    for (let right = left + 1; right < actors; right += 1) pairs.push([left, right]);
  }
  return pairs;
}
