// Owns the first line of the live tree: how far the job is, how long it takes, what it costs, fitted to a width. Pure.
import { belowOf, endedOf, type Tally } from '../observe/tally.ts';
import type { Paint, Style } from './paint.ts';
import { clip, widthOf } from './text.ts';
import { formatCount, formatMs, formatRate, formatUsd, plural } from './units.ts';

export type HeadFacts = {
  readonly tally: Tally;
  readonly total: number;
  readonly elapsedMs: number;
  /** Tasks that end, smoothed. */
  readonly perSecond: number;
  readonly isStopping: boolean;
  /** Counts frames, for what moves. */
  readonly tick: number;
};

/** A figure, and when it is left out where there is no room: the highest number first, 0 never. */
type Figure = { readonly text: string; readonly rank: number };

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const barWidths = [24, 12];
const gap = '  ';

/** The status and the time are on it at any width; the other figures as far as there is room. */
export function headLine(facts: HeadFacts, width: number, paint: Paint): string {
  const { tally, total, isStopping, tick } = facts;
  const mark = spinner[tick % spinner.length] ?? '';
  const status = isStopping ? 'stopping' : 'running';
  const style: Style = isStopping ? 'yellow' : 'cyan';
  const lead = `${mark} ${status}${gap}`;
  const rest = fitted(figuresOf(facts), width - widthOf(lead)).join(gap);
  for (const cells of barWidths) {
    const bar = barOf(endedOf(tally), total, cells);
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

function figuresOf({
  tally,
  total,
  elapsedMs,
  perSecond,
  isStopping,
}: HeadFacts): readonly Figure[] {
  const ended = endedOf(tally);
  const { inputTokens, outputTokens, isEstimated, costUsd } = tally;
  const below = belowOf(tally);
  const percent = total > 1 ? ` ${Math.floor((ended / total) * 100)}%` : '';
  const isEstimable = perSecond > 0 && ended < total && !isStopping;
  const left = isEstimable ? `~${formatMs(((total - ended) / perSecond) * 1_000)} left` : '';
  const tokens = `${isEstimated ? '~' : ''}${formatCount(inputTokens + outputTokens)} tokens`;
  return [
    { text: `${ended}/${total}${percent}`, rank: 1 },
    { text: below === 0 ? '' : `${plural(below, 'subtask')} done`, rank: 4 },
    { text: formatMs(elapsedMs), rank: 0 },
    { text: left, rank: 3 },
    { text: perSecond === 0 ? '' : formatRate(perSecond, 'task'), rank: 5 },
    { text: tokens, rank: 6 },
    { text: costUsd === null || costUsd === 0 ? '' : formatUsd(costUsd), rank: 2 },
  ].filter(({ text }) => text !== '');
}

function barOf(ended: number, total: number, cells: number): string {
  const full = total === 0 ? 0 : Math.floor((ended / total) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}
