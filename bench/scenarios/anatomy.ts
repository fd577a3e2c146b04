// What one thing costs, apart from how long it takes: messages, bytes, CPU, allocations and functions; beside another checkout.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSource } from '../anatomy/cpu-meter.ts';
import type { Figures } from '../anatomy/figures.ts';
import type { MeterName } from '../anatomy/meter.ts';
import { ProbeProcess } from '../anatomy/probe-process.ts';
import { type SubjectName, subjectNames } from '../anatomy/subjects.ts';
import { type Comparison, compareSamples, type LeftOut, type Unit } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import { median } from '../statistics.ts';

/** How often a meter counts. */
type Counting = {
  readonly rounds: number;
  /** Windows whose work is done first, uncounted: the compiler is through with most of it. */
  readonly warmups: number;
  /** Of a window, what one round does. */
  readonly share: number;
};

/** Messages and functions are the same in every round; what a thing allocates depends on what was compiled. */
const sizes: Sizes<Readonly<Record<MeterName, Counting>>> = {
  smoke: {
    messages: { rounds: 1, warmups: 0, share: 0 },
    functions: { rounds: 1, warmups: 0, share: 0 },
    allocations: { rounds: 1, warmups: 0, share: 0 },
    cpu: { rounds: 1, warmups: 0, share: 0 },
  },
  normal: {
    messages: { rounds: 1, warmups: 0.1, share: 0.1 },
    functions: { rounds: 1, warmups: 0.1, share: 0.1 },
    allocations: { rounds: 3, warmups: 6, share: 0.5 },
    cpu: { rounds: 11, warmups: 8, share: 1 },
  },
  full: {
    messages: { rounds: 3, warmups: 1, share: 1 },
    functions: { rounds: 3, warmups: 1, share: 1 },
    allocations: { rounds: 5, warmups: 20, share: 0.3 },
    cpu: { rounds: 31, warmups: 20, share: 1 },
  },
};

const meters = ['messages', 'functions', 'allocations', 'cpu'] as const;

/** How many of each thing take some tens of milliseconds, and allocate less than the young generation takes. */
const window: Readonly<Record<SubjectName, number>> = {
  'warm task': 300,
  'turn with a thread tool': 50,
  'interrupt of a waiting run': 20,
  'inline ask': 20_000,
  'warm task with a host tool': 150,
  'warm task by the gateway': 150,
};

type RowOf = {
  readonly name: string;
  readonly unit: Unit;
  /** What the names of its parts begin with. */
  readonly parts?: string;
};

/** This checkout, or the other one. */
type Side = { readonly name: string; readonly root: string };

const ours: Side = {
  name: 'this checkout',
  root: fileURLToPath(new URL('../../../', import.meta.url)),
};

/**
 * Each meter counts in a process of its own for each checkout, and the checkouts take turns. A figure is the mean over
 * one window, less what an empty window costs; the median of the rounds counts. One turn is a tenth of what ten more
 * turns cost. An interrupt has a window of its own, and comes after a rest: its caches are cold, as those of an interrupt
 * are. Functions are those of the library that the host enters; `calls` says how often, a resumed one included.
 */
export const anatomy: Scenario = {
  name: 'anatomy',
  targets: [],
  description: 'what one thing costs: messages, bytes, CPU, allocations, functions of the host',
  variants: ['this checkout', 'the one of --beside'],
  isComparable: true,
  async run(size: Size, beside: string | null) {
    const sides = beside === null ? [ours] : [ours, { name: basename(beside), root: beside }];
    const found = new Map<SubjectName, Comparison[]>(subjectNames.map((name) => [name, []]));
    for (const meter of meters) {
      await using probes = startProbes(sides, meter);
      for (const subject of subjectNames) {
        const taken = await takeTurns(probes.all, subject, sizes[size][meter]);
        found.get(subject)?.push(...comparisonsOf(meter, subject, sides, taken));
      }
    }
    return [...found.values()].flat();
  },
};

function startProbes(sides: readonly Side[], meter: MeterName) {
  const all = sides.map(({ root }) => new ProbeProcess(root, meter));
  return {
    all,
    async [Symbol.asyncDispose]() {
      for (const probe of all) await probe[Symbol.asyncDispose]();
    },
  };
}

/** The figures of each probe, round by round. */
async function takeTurns(
  probes: readonly ProbeProcess[],
  subject: SubjectName,
  { rounds, warmups, share }: Counting,
): Promise<readonly (readonly Figures[])[]> {
  const timesOf = (windows: number) => Math.max(2, Math.round(window[subject] * windows));
  for (const probe of probes) await probe.open(subject, timesOf(warmups));
  const taken = probes.map((probe) => ({ probe, figures: [] as Figures[] }));
  for (let round = 0; round < rounds; round += 1) {
    // Who is first changes: it finds the machine as the other one has left it.
    for (const { probe, figures } of round % 2 === 0 ? taken : taken.toReversed()) {
      figures.push(await probe.cost(timesOf(share)));
    }
  }
  for (const probe of probes) await probe.close();
  return taken.map(({ figures }) => figures);
}

/** One for each row of the meter that is not 0 everywhere. */
function comparisonsOf(
  meter: MeterName,
  subject: SubjectName,
  sides: readonly Side[],
  taken: readonly (readonly Figures[])[],
): readonly Comparison[] {
  const names = [...new Set(taken.flat().flatMap((figures) => Object.keys(figures)))];
  const rows = rowsOf(meter, names).filter(({ name }) =>
    taken.flat().some((figures) => (figures[name] ?? 0) !== 0),
  );
  return rows.map(({ name, unit, parts }) =>
    compareSamples(
      {
        what: `${subject}: ${name}`,
        unit,
        figure: 'median',
        targets: [],
        leftOut: leftOutOf(meter),
        detail: parts === undefined ? '' : detailOf(parts, taken[0] ?? []),
      },
      sides.map((side, index) => ({
        name: side.name,
        rounds: (taken[index] ?? []).map((figures) => [figures[name] ?? 0]),
      })),
    ),
  );
}

function rowsOf(meter: MeterName, names: readonly string[]): readonly RowOf[] {
  const beginningWith = (prefix: string) => names.filter((name) => name.startsWith(prefix));
  switch (meter) {
    case 'messages':
      return [
        ...beginningWith('messages ')
          .sort()
          .map((name) => ({
            name,
            unit: 'count' as const,
            parts: `${name.replace('messages', 'type')}: `,
          })),
        { name: 'bytes', unit: 'bytes', parts: 'bytes ' },
      ];
    case 'functions':
      return [
        { name: 'functions', unit: 'count', parts: 'functions ' },
        { name: 'functions tasks', unit: 'count' },
        { name: 'files', unit: 'count' },
        { name: 'files tasks', unit: 'count' },
        { name: 'calls', unit: 'count' },
      ];
    case 'allocations':
      return beginningWith('allocated').map((name) => ({ name, unit: 'bytes' }));
    case 'cpu':
      return beginningWith('CPU').map((name) => ({ name, unit: 'us' }));
    default:
      return meter satisfies never;
  }
}

/** `2 batch, 3 batch.event`: the parts of a figure, the largest first. */
function detailOf(prefix: string, rounds: readonly Figures[]): string {
  const names = Object.keys(rounds[0] ?? {}).filter((name) => name.startsWith(prefix));
  const parts = names
    .map((name) => ({
      name: name.slice(prefix.length),
      value: median(rounds.map((figures) => figures[name] ?? 0)),
    }))
    .filter(({ value }) => value !== 0)
    .sort((left, right) => right.value - left.value);
  return parts.map(({ name, value }) => `${Number(value.toFixed(1))} ${name}`).join(', ');
}

function leftOutOf(meter: MeterName): readonly LeftOut[] {
  if (meter !== 'cpu' || cpuSource() !== 'process') return [];
  return [{ name: 'host and threads apart', reason: 'neither this system nor this Node counts' }];
}
