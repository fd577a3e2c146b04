// Owns the command `npm run bench`: which scenarios run, in what size, and the exit code.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable, type ScenarioReport, writeResults } from './report.ts';
import type { Scenario, Size } from './scenario.ts';
import { activate } from './scenarios/activate.ts';
import { anatomy } from './scenarios/anatomy.ts';
import { big } from './scenarios/big.ts';
import { chameneos } from './scenarios/chameneos.ts';
import { counting } from './scenarios/counting.ts';
import { durable } from './scenarios/durable.ts';
import { fanOut } from './scenarios/fan-out.ts';
import { fanOutLatency } from './scenarios/fan-out-latency.ts';
import { forkJoin } from './scenarios/fork-join.ts';
import { hostLag } from './scenarios/host-lag.ts';
import { idle } from './scenarios/idle.ts';
import { inline } from './scenarios/inline.ts';
import { interrupt } from './scenarios/interrupt.ts';
import { kill } from './scenarios/kill.ts';
import { memory } from './scenarios/memory.ts';
import { pingPong } from './scenarios/ping-pong.ts';
import { processes } from './scenarios/process.ts';
import { recovery } from './scenarios/recovery.ts';
import { scale } from './scenarios/scale.ts';
import { sessions } from './scenarios/sessions.ts';
import { soak } from './scenarios/soak.ts';
import { spawn } from './scenarios/spawn.ts';
import { threadRing } from './scenarios/thread-ring.ts';
import { turnOverhead } from './scenarios/turn-overhead.ts';
import { waiting } from './scenarios/waiting.ts';
import { wide } from './scenarios/wide.ts';

const scenarios: readonly Scenario[] = [
  pingPong,
  counting,
  spawn,
  durable,
  recovery,
  fanOut,
  fanOutLatency,
  interrupt,
  kill,
  hostLag,
  turnOverhead,
  wide,
  waiting,
  threadRing,
  forkJoin,
  big,
  chameneos,
  inline,
  memory,
  activate,
  scale,
  idle,
  sessions,
  processes,
  soak,
  anatomy,
];

const usage = `npm run bench -- [scenario ...] [--smoke | --full] [--strict] [--beside <directory>] [--list]
  --smoke   tiny sizes, to see that everything runs; also when CI is set
  --full    the sizes that the targets name
  --strict  a missed target is a failure, except at smoke sizes, which decide nothing
  --beside  another built checkout, measured in turn with this one: for anatomy
  --list    the scenarios and what they measure
`;

/** 0 all well, 1 a scenario threw or `--strict` missed a target, 2 misuse. */
async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args);
  if (command.type === 'misuse') {
    process.stderr.write(`${command.message}\n\n${usage}\n${listing()}`);
    return 2;
  }
  if (command.type === 'list') {
    process.stdout.write(listing());
    return 0;
  }

  const date = new Date();
  const reports: ScenarioReport[] = [];
  for (const scenario of command.chosen) {
    process.stderr.write(`${scenario.name} ...\n`);
    reports.push(await runOne(scenario, command));
  }
  process.stdout.write(`\n${formatTable(reports, command.size)}`);
  process.stdout.write(`\nwritten to ${writeResults(reports, command.size, date)}\n`);

  const hasFailed = reports.some(({ failure }) => failure !== null);
  const hasMissed = reports.some(({ comparisons }) =>
    comparisons.some(({ rows }) => rows.some(({ verdict }) => verdict === 'MISS')),
  );
  const isJudged = command.isStrict && command.size !== 'smoke';
  return hasFailed || (isJudged && hasMissed) ? 1 : 0;
}

type Command =
  | { readonly type: 'misuse'; readonly message: string }
  | { readonly type: 'list' }
  | RunCommand;

type RunCommand = {
  readonly type: 'run';
  readonly chosen: readonly Scenario[];
  readonly size: Size;
  readonly isStrict: boolean;
  /** The directory of another built checkout, or null. */
  readonly beside: string | null;
};

function readCommand(args: readonly string[]): Command {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (cause) {
    return { type: 'misuse', message: cause instanceof Error ? cause.message : String(cause) };
  }
  const { values, positionals } = parsed;
  if (values.list) return { type: 'list' };
  const unknown = positionals.filter((name) => scenarios.every((known) => known.name !== name));
  if (unknown.length > 0) {
    return { type: 'misuse', message: `unknown scenario: ${unknown.join(', ')}` };
  }
  const chosen = scenarios.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const beside = values.beside === undefined ? null : resolve(values.beside);
  const problem = beside === null ? null : problemBeside(beside, chosen);
  if (problem !== null) return { type: 'misuse', message: problem };
  return {
    type: 'run',
    chosen,
    size: values.full ? 'full' : values.smoke || process.env['CI'] ? 'smoke' : 'normal',
    isStrict: values.strict,
    beside,
  };
}

function problemBeside(directory: string, chosen: readonly Scenario[]): string | null {
  const alone = chosen.filter(({ isComparable = false }) => !isComparable);
  if (alone.length > 0) return `not for --beside: ${alone.map(({ name }) => name).join(', ')}`;
  if (existsSync(join(directory, 'dist', 'bench', 'main.js'))) return null;
  return `--beside ${directory} is no built checkout: npm run build there makes it one`;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      beside: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
}

function listing(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const lines = scenarios.map(
    ({ name, targets, description, variants }) =>
      `${name.padEnd(width)}  ${targets.join(', ')}: ${description}\n${' '.repeat(width)}  ${variants.join(' | ')}\n`,
  );
  return lines.join('');
}

async function runOne(scenario: Scenario, { size, beside }: RunCommand): Promise<ScenarioReport> {
  const { name, targets } = scenario;
  const begun = performance.now();
  try {
    const comparisons = await scenario.run(size, beside);
    return { name, targets, durationMs: performance.now() - begun, comparisons, failure: null };
  } catch (cause) {
    const failure = cause instanceof Error ? cause.message : String(cause);
    process.stderr.write(`${cause instanceof Error ? (cause.stack ?? failure) : failure}\n`);
    return { name, targets, durationMs: performance.now() - begun, comparisons: [], failure };
  }
}

process.exitCode = await main(process.argv.slice(2));
