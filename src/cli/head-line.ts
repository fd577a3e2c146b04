// Owns the first line of the live tree: how far the job is, how long it takes, what it costs, fitted to a width. Pure.
import { belowOf, endedOf, type Tally } from '../observe/tally.ts';
import type { Paint, Style } from './paint.ts';
import { clip, widthOf } from './text.ts';
import { formatCount, formatMs, formatRate, formatUsd, plural } from './units.ts';

export type HeadFacts = {
  readonly tally: Tally;
  readonly total: number;
  readonly elapsedMs: number;
  /** The rate of what is counted, smoothed. */
  readonly perSecond: number;
  readonly isStopping: boolean;
  /** Counts frames, for what moves. */
  readonly tick: number;
};

type JobCount = {
  readonly done: number;
  readonly of: number;
  readonly noun: 'task' | 'subtask';
};

/**
 * What the progress of a job is counted in: its tasks, or where it is one task, what that has delegated so far, at any depth.
 * Null while there is nothing to count.
 */
export function countOf({ tally, total }: Pick<HeadFacts, 'tally' | 'total'>): JobCount | null {
  if (total !== 1) return { done: endedOf(tally), of: total, noun: 'task' };
  const { delegated } = tally;
  return delegated === 0 ? null : { done: belowOf(tally), of: delegated, noun: 'subtask' };
}

/** A figure, and when it is left out where there is no room: the highest number first, 0 never. */
type Figure = { readonly text: string; readonly rank: number };

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const barWidths = [24, 12];
const gap = '  ';

/** The status and the time are on it at any width; the other figures as far as there is room. */
export function headLine(facts: HeadFacts, width: number, paint: Paint): string {
  const { isStopping, tick } = facts;
  const mark = spinner[tick % spinner.length] ?? '';
  const status = isStopping ? 'stopping' : 'running';
  const style: Style = isStopping ? 'yellow' : 'cyan';
  const lead = `${mark} ${status}${gap}`;
  const rest = fitted(figuresOf(facts), width - widthOf(lead)).join(gap);
  const counted = countOf(facts);
  for (const cells of barWidths) {
    if (counted === null) break;
    const bar = barOf(counted, cells);
    if (widthOf(lead + bar + gap + rest) > width) continue;
    const full = bar.replaceAll('░', '');
    return `${paint(style, lead)}${paint(style, full)}${paint('dim', bar.slice(full.length))}${gap}${rest}`;
  }
  if (widthOf(lead + rest) <= width) return paint(style, lead) + rest;
  return clip(`${status}${gap}${rest}`, width);
}

function fitted(figures: readonly Figure[], width: number): readonly string[] {
  let kept = figures;
  while (widthOf(kept.map(({ text }) => text).join(gap)) > width) {
    const highest = Math.max(...kept.map(({ rank }) => rank));
    if (highest === 0) break;
    kept = kept.filter(({ rank }) => rank !== highest);
  }
  return kept.map(({ text }) => text);
}

function figuresOf(facts: HeadFacts): readonly Figure[] {
  const { tally, elapsedMs, perSecond, isStopping } = facts;
  const { inputTokens, outputTokens, isEstimated, costUsd } = tally;
  const counted = countOf(facts);
  const tokens = `${isEstimated ? '~' : ''}${formatCount(inputTokens + outputTokens)} tokens`;
  const rate = counted === null || perSecond === 0 ? '' : formatRate(perSecond, counted.noun);
  return [
    { text: counted === null ? '' : countText(counted), rank: 1 },
    { text: subtasksText(facts), rank: 4 },
    { text: formatMs(elapsedMs), rank: 0 },
    { text: counted === null || isStopping ? '' : leftText(counted, perSecond), rank: 3 },
    { text: rate, rank: 5 },
    { text: tokens, rank: 6 },
    { text: costUsd === null || costUsd === 0 ? '' : formatUsd(costUsd), rank: 2 },
  ].filter(({ text }) => text !== '');
}

/** Without a percentage where more may be delegated yet. */
function countText({ done, of, noun }: JobCount): string {
  if (noun === 'subtask') return `${done}/${plural(of, noun)}`;
  return `${done}/${of} ${Math.floor((done / of) * 100)}%`;
}

function subtasksText({ tally, total }: HeadFacts): string {
  const below = belowOf(tally);
  return below === 0 || total === 1 ? '' : `${plural(below, 'subtask')} done`;
}

function leftText({ done, of, noun }: JobCount, perSecond: number): string {
  if (noun === 'subtask' || perSecond === 0 || done >= of) return '';
  return `~${formatMs(((of - done) / perSecond) * 1_000)} left`;
}

function barOf({ done, of }: JobCount, cells: number): string {
  const full = of === 0 ? 0 : Math.floor((done / of) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}
