// Owns the measuring: rounds of ours and its baselines in turn, figures, ratios and verdicts. Prints and stores nothing.
import { type Figure, figureOf, median, percentile } from './statistics.ts';

/** All but `per_s` are better when lower. */
export type Unit = 'us' | 'ms' | 'bytes' | 'kib' | 'count' | 'per_s';

/** One of those who run in turn. */
export type Contestant = {
  readonly name: string;
  /** Does the work once, checks its result and gives what it measured: one sample or many. */
  readonly measure: () => Promise<readonly number[]>;
};

/** A baseline that cannot run here, and why; it is shown, not hidden. */
export type LeftOut = { readonly name: string; readonly reason: string };

/**
 * A bound of `docs/performance.md`. With `against`, on the ratio of ours to the best of the named baselines;
 * with none named, on our own figure.
 */
export type Target = { readonly id: string; readonly against: readonly string[] } & (
  | { readonly max: number }
  | { readonly min: number }
);

/** What is measured, and what it is judged by. */
export type Measure = {
  readonly what: string;
  readonly unit: Unit;
  readonly figure: Figure;
  readonly leftOut?: readonly LeftOut[];
  readonly targets: readonly Target[];
  /** What the figure consists of, for people. */
  readonly detail?: string;
};

/** A measure, on whom it is taken, how often. */
export type Contest = Measure & {
  readonly rounds: number;
  /** Rounds run first and thrown away. */
  readonly warmups: number;
  readonly ours: Contestant;
  readonly baselines: readonly Contestant[];
};

/** What was measured of one contestant: one list of samples for each round. */
export type Samples = {
  readonly name: string;
  readonly rounds: readonly (readonly number[])[];
};

export type Verdict = 'ok' | 'MISS' | 'published';

/** Ours beside one baseline; without a baseline, our figure alone. */
export type Row = {
  readonly baseline: { readonly name: string; readonly value: number } | null;
  readonly ours: number;
  readonly ratio: number | null;
  /** The ratio of each round, in order. */
  readonly ratios: readonly number[];
  readonly target: Target | null;
  readonly verdict: Verdict;
};

export type Series = Samples & {
  readonly value: number;
  readonly median: number;
  readonly p99: number;
};

export type Comparison = {
  readonly what: string;
  readonly unit: Unit;
  readonly figure: Figure;
  /** Ours first. */
  readonly series: readonly Series[];
  readonly rows: readonly Row[];
  readonly leftOut: readonly LeftOut[];
  readonly detail: string;
};

/** Runs every contestant once per round, one after another, so that noise of the machine falls on all of them. */
export async function compare(contest: Contest): Promise<Comparison> {
  const taken = [contest.ours, ...contest.baselines].map((contestant) => ({
    contestant,
    rounds: [] as (readonly number[])[],
  }));
  for (let round = -contest.warmups; round < contest.rounds; round += 1) {
    for (const { contestant, rounds } of taken) {
      const samples = await measureOnce(contest, contestant);
      if (round >= 0) rounds.push(samples);
    }
  }

  return compareSamples(
    contest,
    taken.map(({ contestant: { name }, rounds }) => ({ name, rounds })),
  );
}

/** What was measured already, ours first: one round of all of them after another. */
export function compareSamples(measure: Measure, taken: readonly Samples[]): Comparison {
  const [ours, ...baselines] = taken.map(({ name, rounds }) =>
    summarise(name, rounds, measure.figure),
  );
  if (ours === undefined) throw new Error('a contest has at least one contestant');
  return {
    what: measure.what,
    unit: measure.unit,
    figure: measure.figure,
    series: [ours, ...baselines],
    rows: rowsOf(measure, ours, baselines),
    leftOut: measure.leftOut ?? [],
    detail: measure.detail ?? '',
  };
}

async function measureOnce(contest: Contest, contestant: Contestant): Promise<readonly number[]> {
  try {
    return await contestant.measure();
  } catch (cause) {
    throw new Error(`${contest.what}: ${contestant.name} failed: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A tail is taken over all samples; a median round by round, so that one bad round counts once. */
function summarise(name: string, rounds: readonly (readonly number[])[], figure: Figure): Series {
  const all = rounds.flat();
  const value =
    figure === 'median' ? median(rounds.map((samples) => median(samples))) : figureOf(all, figure);
  return { name, value, median: median(all), p99: percentile(all, 0.99), rounds };
}

function rowsOf(measure: Measure, ours: Series, baselines: readonly Series[]): readonly Row[] {
  const rows: Row[] = measure.targets
    .filter((target) => target.against.length === 0)
    .map((target) => ({
      baseline: null,
      ours: ours.value,
      ratio: null,
      ratios: [],
      target,
      verdict: judge(ours.value, target),
    }));
  if (rows.length === 0 && baselines.length === 0) rows.push(alone(ours));
  for (const baseline of baselines) {
    const ratios = ours.rounds.map(
      (samples, round) =>
        figureOf(samples, measure.figure) / figureOf(baseline.rounds[round] ?? [], measure.figure),
    );
    const ratio = measure.figure === 'median' ? median(ratios) : ours.value / baseline.value;
    const target =
      measure.targets.find(
        ({ against }) => bestOf(measure.unit, against, baselines) === baseline,
      ) ?? null;
    rows.push({
      baseline: { name: baseline.name, value: baseline.value },
      ours: ours.value,
      ratio,
      ratios,
      target,
      verdict: target === null ? 'published' : judge(ratio, target),
    });
  }
  return rows;
}

/** Ours when there is nothing to compare it with. */
function alone({ value }: Series): Row {
  return {
    baseline: null,
    ours: value,
    ratio: null,
    ratios: [],
    target: null,
    verdict: 'published',
  };
}

function bestOf(
  unit: Unit,
  names: readonly string[],
  baselines: readonly Series[],
): Series | undefined {
  const better = (left: Series, right: Series) =>
    unit === 'per_s' ? right.value - left.value : left.value - right.value;
  return baselines.filter(({ name }) => names.includes(name)).sort(better)[0];
}

function judge(value: number, target: Target): Verdict {
  const isMet = 'max' in target ? value <= target.max : value >= target.min;
  return isMet ? 'ok' : 'MISS';
}
