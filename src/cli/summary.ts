// Owns the text around a job: what it runs on, what it came to, and the exit code that follows. Pure.
import { belowOf, endedOf, type Tally } from '../observe/tally.ts';
import type { Paint } from './paint.ts';
import { formatMs, formatRate, formatUsd, formatWhole, plural } from './units.ts';

/** Why a job ended before its input did. */
export type JobStop =
  | { readonly type: 'signal' }
  | { readonly type: 'budget'; readonly budgetUsd: number }
  | { readonly type: 'failure'; readonly message: string };

export type JobEnd = {
  readonly tally: Tally;
  readonly elapsedMs: number;
  readonly model: string;
  /** Null: standard output. */
  readonly out: string | null;
  /** Results that are there. */
  readonly written: number;
  readonly total: number;
  /** Interrupted tasks that never had a turn. */
  readonly notStarted: number;
  readonly stop: JobStop | null;
  /** What is not finished goes on with the same command. */
  readonly goesOn: boolean;
};

/** What the job runs on, before it starts; null when there is nothing to say. */
export function offlineNotice(model: string): string | null {
  const models = model.split(',').map((name) => name.trim());
  if (!models.includes('offline')) return null;
  const which = models.length === 1 ? 'no model is called' : 'where it answers no model is called';
  return `model offline: ${which}, answers quote, token counts are estimates`;
}

/** Printed for a job over files whose agents have no tools to open them with. */
export const noToolsNotice =
  'the agents have no tools and see only the names of the files; --toolsets file lets them read';

/** How much of a job is left. */
type LeftCounts = { readonly total: number; readonly left: number; readonly out: string | null };

/** How far a job with a journal has come before. */
export function goesOnNotice({
  total,
  left,
  out,
  unfinished,
}: LeftCounts & { readonly unfinished: number }): string {
  if (out === null)
    return `going on: ${formatWhole(unfinished)} of ${plural(total, 'task')} unfinished`;
  const ended = `${formatWhole(total - left)} of ${plural(total, 'task')} ended in ${placeOf(out)}`;
  if (left === 0) return `nothing to run: ${ended}; --resume runs again what is not completed`;
  return `going on: ${ended}, ${formatWhole(unfinished)} unfinished, ${formatWhole(left - unfinished)} to run`;
}

/** What a resumed job leaves out. */
export function resumedNotice({ total, left, out }: LeftCounts): string {
  const completed = formatWhole(total - left);
  const place = `${plural(total, 'task')} completed in ${placeOf(out)}`;
  if (left > 0) return `resuming: ${completed} of ${place}, ${formatWhole(left)} to run`;
  return `nothing to run: ${completed} of ${place}`;
}

/** Printed at the first Ctrl-C. */
export const interruptNotice =
  'interrupting: finished results are kept; Ctrl-C again exits at once';

/** The same for a job with a journal. */
export const pausedNotice =
  'stopping: the same command goes on where it was; Ctrl-C again exits at once';

export function summaryLines(end: JobEnd, paint: Paint): readonly string[] {
  return [...stopLines(end, paint), totalsLine(end, paint), usageLine(end), resultsLine(end)];
}

function totalsLine({ tally, elapsedMs }: JobEnd, paint: Paint): string {
  const ended = endedOf(tally);
  const rate = elapsedMs > 0 ? ended / (elapsedMs / 1_000) : 0;
  return [
    paint('bold', plural(ended, 'task')),
    ...statusesOf(tally.ended),
    ...belowText(tally),
    formatMs(elapsedMs),
    formatRate(rate, 'task'),
  ].join(' · ');
}

function statusesOf(ends: Tally['ended']): readonly string[] {
  return (['completed', 'failed', 'timeout', 'interrupted'] as const)
    .filter((status) => ends[status] > 0)
    .map((status) => `${formatWhole(ends[status])} ${status}`);
}

/** Of a job that delegated: `12 subtasks: 11 completed, 1 failed`. */
function belowText(tally: Tally): readonly string[] {
  const count = belowOf(tally);
  return count === 0 ? [] : [`${plural(count, 'subtask')}: ${statusesOf(tally.below).join(', ')}`];
}

function usageLine({ tally, model }: JobEnd): string {
  const { inputTokens, outputTokens, isEstimated, costUsd } = tally;
  const mark = isEstimated ? ' (estimated)' : '';
  const cost =
    costUsd === null ? 'cost unknown: the model’s price is not known' : formatUsd(costUsd);
  const tokens = `${formatWhole(inputTokens)} tokens in, ${formatWhole(outputTokens)} out${mark}`;
  return [tokens, cost, `model ${model}`].join(' · ');
}

function resultsLine({ written, out }: JobEnd): string {
  return `${plural(written, 'result')} ${out === null ? 'on' : 'in'} ${placeOf(out)}`;
}

/** What the results are called. */
export function placeOf(out: string | null): string {
  return out ?? 'standard output';
}

function stopLines(
  { stop, tally, total, notStarted, goesOn }: JobEnd,
  paint: Paint,
): readonly string[] {
  if (stop === null) return [];
  // The number of results in the file shows what became of them.
  if (stop.type === 'failure') return [paint('red', `stopped: ${stop.message}`)];
  const ended = endedOf(tally);
  const { interrupted } = tally.ended;
  if (goesOn) {
    const kept = ended - interrupted;
    const what = `${formatWhole(kept)} finished and kept, ${formatWhole(total - kept)} left for the same command`;
    return [`${paint('yellow', stopText(stop))}: ${what}`];
  }
  const untouched = Math.max(0, total - ended) + notStarted;
  const rest = [
    `${formatWhole(ended - interrupted)} finished and kept`,
    `${formatWhole(interrupted - notStarted)} partial`,
    `${formatWhole(untouched)} not started`,
  ];
  const below = belowOf(tally) - tally.below.interrupted;
  const kept = belowOf(tally) === 0 ? [] : [`${plural(below, 'subtask')} finished and kept`];
  return [`${paint('yellow', stopText(stop))}: ${[...rest, ...kept].join(', ')}`];
}

function stopText(stop: Exclude<JobStop, { type: 'failure' }>): string {
  switch (stop.type) {
    case 'signal':
      return 'interrupted';
    case 'budget':
      return `stopped: the budget of ${formatUsd(stop.budgetUsd)} is spent`;
  }
}

/** 0 all completed, subtasks too, 1 some failed, 130 interrupted; misuse, 2, never gets as far as a job. */
export function exitCodeOf({ tally, stop }: JobEnd): 0 | 1 | 130 {
  if (stop?.type === 'signal') return 130;
  const ended = endedOf(tally);
  const isAllCompleted =
    tally.ended.completed === ended && tally.below.completed === belowOf(tally);
  const isAllWell = stop === null && ended > 0 && isAllCompleted;
  return isAllWell ? 0 : 1;
}
