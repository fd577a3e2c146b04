// Owns what the live tree shows: one frame, from what is known at a moment, fitted to the terminal. Pure.
import type { TreeSnapshot } from '../index.ts';
import { doingOf, layTree, type TreeLine } from '../observe/render-tree.ts';
import { belowOf, endedOf, type Tally } from '../observe/tally.ts';
import { type Paint, type Style, styleOfStatus } from './paint.ts';
import { clip, clipStart, pad, widthOf } from './text.ts';
import { formatCount, formatMs, formatUsd, plural } from './units.ts';

export type FrameFacts = {
  readonly tree: readonly TreeSnapshot[];
  readonly tally: Tally;
  readonly total: number;
  readonly elapsedMs: number;
  readonly isStopping: boolean;
  /** Counts frames, for what moves. */
  readonly tick: number;
  labelOf(taskId: string): string | null;
};

export type FrameSize = { readonly columns: number; readonly rows: number };

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const barWidths = [24, 12];
const usualLabel = 32;
const gap = '  ';
/** The header, the line of finished tasks, and the line that the cursor is on. */
const furniture = 3;

/** The lines of a frame; none is wider than the terminal, and all of them fit on it. */
export function liveFrame(facts: FrameFacts, size: FrameSize, paint: Paint): readonly string[] {
  const width = Math.max(20, size.columns - 1);
  const maxRows = Math.max(1, size.rows - furniture);
  const { lines: shown, hidden } = layTree(facts.tree, maxRows);
  return [
    headLine(facts, width, paint),
    ...agentLines(shown, facts, width, paint),
    ...(hidden > 0 && maxRows > 1 ? [paint('dim', clip(`  … ${hidden} more`, width))] : []),
    endsLine(facts.tally, width, paint),
  ];
}

function headLine(facts: FrameFacts, width: number, paint: Paint): string {
  const { tally, total, isStopping, tick } = facts;
  const rest = clip(figuresOf(facts).join(gap), width);
  const mark = spinner[tick % spinner.length] ?? '';
  const status = isStopping ? 'interrupting' : 'running';
  const style: Style = isStopping ? 'yellow' : 'cyan';
  const lead = `${mark} ${status}${gap}`;
  for (const cells of barWidths) {
    const bar = barOf(endedOf(tally), total, cells);
    if (widthOf(lead + bar + gap + rest) > width) continue;
    const full = bar.replaceAll('░', '');
    return `${paint(style, lead)}${paint(style, full)}${paint('dim', bar.slice(full.length))}${gap}${rest}`;
  }
  return widthOf(lead + rest) <= width ? paint(style, lead) + rest : rest;
}

/** How far the job is, how long it takes and what it has cost, the most important first. */
function figuresOf({ tally, total, elapsedMs, isStopping }: FrameFacts): readonly string[] {
  const ended = endedOf(tally);
  const { inputTokens, outputTokens, isEstimated, costUsd } = tally;
  const below = belowOf(tally);
  const percent = total > 1 ? ` ${Math.floor((ended / total) * 100)}%` : '';
  const isEstimable = ended > 0 && ended < total && !isStopping;
  const left = isEstimable ? [`~${formatMs((elapsedMs / ended) * (total - ended))} left`] : [];
  return [
    `${ended}/${total}${percent}`,
    ...(below === 0 ? [] : [`${plural(below, 'subtask')} done`]),
    formatMs(elapsedMs),
    ...left,
    `${isEstimated ? '~' : ''}${formatCount(inputTokens + outputTokens)} tokens`,
    ...(costUsd === null || costUsd === 0 ? [] : [formatUsd(costUsd)]),
  ];
}

function barOf(ended: number, total: number, cells: number): string {
  const full = total === 0 ? 0 : Math.floor((ended / total) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}

/** What is over, as a count each: the finished ones of a long job take one line. */
function endsLine({ ended, queued }: Tally, width: number, paint: Paint): string {
  const parts = (['completed', 'failed', 'timeout', 'interrupted'] as const)
    .filter((status) => ended[status] > 0)
    .map((status) => ({ ...styleOfStatus(status), text: `${ended[status]} ${status}` }));
  const plain = parts.map(({ mark, text }) => `${mark} ${text}`).join(gap);
  const waiting = queued > 0 ? `${queued} queued` : '';
  if (widthOf(plain + gap + waiting) > width) return clip(plain, width);
  const painted = parts.map(({ style, mark, text }) => `${paint(style, mark)} ${text}`);
  return [...painted, ...(waiting === '' ? [] : [paint('dim', waiting)])].join(gap);
}

function agentLines(
  nodes: readonly TreeLine[],
  { labelOf }: FrameFacts,
  width: number,
  paint: Paint,
): readonly string[] {
  const cells = nodes.map(({ branch, snapshot, folded }) => {
    const { taskId, name, turn, usage, elapsedMs } = snapshot;
    const tokens = usage.inputTokens + usage.outputTokens;
    return {
      branch,
      label: labelOf(taskId) ?? name,
      isWaiting: snapshot.status === 'queued',
      doing: folded > 0 ? `+${folded} below` : doingOf(snapshot),
      turn: turn > 0 ? `turn ${turn}` : '',
      tokens: tokens > 0 ? `${formatCount(tokens)} tok` : '',
      elapsed: formatMs(elapsedMs),
    };
  });
  const widest = (pick: (cell: (typeof cells)[number]) => string, least: number): number =>
    cells.reduce((max, cell) => Math.max(max, widthOf(pick(cell))), least);
  // Least widths, so that columns do not jump from frame to frame.
  const doing = Math.min(
    32,
    widest((cell) => cell.doing, 12),
  );
  const turn = widest((cell) => cell.turn, 7);
  const tokens = widest((cell) => cell.tokens, 8);
  const elapsed = widest((cell) => cell.elapsed, 7);
  const fixed = 2 + doing + turn + tokens + elapsed + 4 * gap.length;
  const names = widest((cell) => cell.branch + cell.label, usualLabel);
  const label = Math.min(names, Math.max(12, width - fixed));

  return cells.map((cell) => {
    const name = cell.branch + clipStart(cell.label, label - widthOf(cell.branch));
    const figures = [pad(cell.turn, turn), pad(clip(cell.doing, doing), doing)].join(gap);
    const amounts = [pad(cell.elapsed, elapsed, 'right'), pad(cell.tokens, tokens, 'right')];
    const line = clip(`  ${pad(name, label)}${gap}${figures}${gap}${amounts.join(gap)}`, width);
    return cell.isWaiting ? paint('dim', line) : line;
  });
}
