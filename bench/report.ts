// Owns how results are shown and stored: the table on the terminal and the JSON file. Measures nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comparison, Row, Target, Unit } from './harness.ts';
import type { Size } from './scenario.ts';

/** What became of one scenario. */
export type ScenarioReport = {
  readonly name: string;
  readonly targets: readonly string[];
  readonly durationMs: number;
  readonly comparisons: readonly Comparison[];
  /** Why it threw, or null. */
  readonly failure: string | null;
};

type Line = readonly string[];

const folder = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const headings: Line = ['scenario', 'what', 'ours', 'baseline', 'ratio', 'target', 'verdict', ''];

/** The machine, as a header and in the file: ratios mean nothing without it. */
function machine() {
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** All results as one table, ours beside each baseline. */
export function formatTable(reports: readonly ScenarioReport[], size: Size): string {
  const { node, platform: system, cpu, cores } = machine();
  const lines = [headings, ...reports.flatMap((report) => linesOf(report, size))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  const rule = widths.map((width) => '─'.repeat(width));
  const body = [headings, rule, ...lines.slice(1)].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const remark =
    size === 'smoke'
      ? 'smoke sizes: it proves that everything runs, its numbers mean nothing'
      : size;
  return [`${cores} cores, ${cpu}, Node ${node}, ${system}; ${remark}`, '', ...body, ''].join('\n');
}

function linesOf(report: ScenarioReport, size: Size): readonly Line[] {
  if (report.failure !== null) {
    return [[report.name, `failed: ${report.failure}`]];
  }
  return report.comparisons.flatMap((comparison) => [
    ...comparison.rows.map((row) => [
      report.name,
      ...cellsOf(comparison, row),
      size === 'smoke' || row.verdict === 'published' ? '-' : row.verdict,
      comparison.detail,
    ]),
    ...comparison.leftOut.map(({ name, reason }) => [
      report.name,
      comparison.what,
      '',
      `${name} left out: ${reason}`,
    ]),
  ]);
}

function cellsOf({ what, unit, figure }: Comparison, row: Row): Line {
  const suffix = figure === 'median' ? '' : ` ${figure}`;
  return [
    what,
    formatValue(row.ours, unit) + suffix,
    row.baseline === null ? '-' : `${formatValue(row.baseline.value, unit)} ${row.baseline.name}`,
    row.ratio === null ? '-' : `${formatNumber(row.ratio)}x`,
    row.target === null ? '-' : formatTarget(row.target, unit),
  ];
}

function formatTarget(target: Target, unit: Unit): string {
  const isRatio = target.against.length > 0;
  const [sign, bound] = 'max' in target ? ['≤', target.max] : ['≥', target.min];
  return `${target.id} ${sign} ${isRatio ? `${bound}x` : formatValue(bound, unit)}`;
}

const suffixes: Readonly<Record<Unit, string>> = {
  per_s: '/s',
  ms: ' ms',
  us: ' us',
  bytes: ' B',
  kib: ' KiB',
  count: '',
};

function formatValue(value: number, unit: Unit): string {
  const isWhole = unit === 'count' && Number.isInteger(value);
  return (isWhole ? String(value) : formatNumber(value)) + suffixes[unit];
}

/** Three digits, or all before the point. */
function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

/** Writes everything measured, raw samples included, and gives the file's path. */
export function writeResults(reports: readonly ScenarioReport[], size: Size, date: Date): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${date.toISOString().replaceAll(/[:.]/g, '-')}.json`);
  const content = { date: date.toISOString(), size, machine: machine(), scenarios: reports };
  writeFileSync(file, `${JSON.stringify(content, rounded)}\n`);
  return file;
}

/** Six digits are more than a clock on a shared machine can mean, and keep the files small. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}
