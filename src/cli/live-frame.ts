// Owns what the live tree shows: one frame, from what is known at a moment, fitted to the terminal. Pure.
import type { TreeSnapshot } from '../index.ts';
import { doingOf, layTree, type TreeLine } from '../observe/render-tree.ts';
import type { Tally } from '../observe/tally.ts';
import { joinCells, type Layout, layOut, widest } from './columns.ts';
import { type HeadFacts, headLine } from './head-line.ts';
import { type Paint, styleOfStatus } from './paint.ts';
import { clip, clipStart, pad, widthOf } from './text.ts';
import { formatCount, formatMs } from './units.ts';

export type FrameFacts = HeadFacts & {
  readonly tree: readonly TreeSnapshot[];
  labelOf(taskId: string): string | null;
};

export type FrameSize = { readonly columns: number; readonly rows: number };

const usualLabel = 32;
const leastLabel = 12;
/** Below this nothing of use can be shown. */
export const leastWidth = 19;
const gap = '  ';
/** The header, the line of finished tasks, and the line that the cursor is on. */
const furniture = 3;

/** The lines of a frame; none is wider than the terminal, and all of them fit on it. */
export function liveFrame(facts: FrameFacts, size: FrameSize, paint: Paint): readonly string[] {
  const width = Math.max(leastWidth, size.columns - 1);
  const maxRows = Math.max(1, size.rows - furniture);
  const { lines: shown, hidden } = layTree(facts.tree, maxRows);
  return [
    headLine(facts, width, paint),
    ...agentLines(shown, facts, width, paint),
    ...(hidden > 0 && maxRows > 1 ? [paint('dim', clip(`  … ${hidden} more`, width))] : []),
    endsLine(facts.tally, width, paint),
  ];
}

/** What is over, as a count each: the finished ones of a long job take one line. */
function endsLine({ ended, queued }: Tally, width: number, paint: Paint): string {
  const parts = (['completed', 'failed', 'timeout', 'interrupted'] as const)
    .filter((status) => ended[status] > 0)
    .map((status) => ({ ...styleOfStatus(status), text: `${ended[status]} ${status}` }));
  const plain = parts.map(({ mark, text }) => `${mark} ${text}`).join(gap);
  const waiting = queued > 0 ? `${queued} queued` : '';
  if (widthOf(plain) > width) {
    return clip(
      parts.map(({ mark, text }) => `${mark} ${Number.parseInt(text, 10)}`).join(gap),
      width,
    );
  }
  if (widthOf(plain + gap + waiting) > width) return plain;
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
    const { taskId, name, turn, usage, elapsedMs, status } = snapshot;
    const tokens = usage.inputTokens + usage.outputTokens;
    const doing = folded > 0 ? `+${folded} below` : doingOf(snapshot);
    return {
      branch,
      label: labelOf(taskId) ?? name,
      status,
      doing: doing === '' ? status : doing,
      turn: turn > 0 ? `turn ${turn}` : '',
      tokens: tokens > 0 ? `${formatCount(tokens)} tok` : '',
      elapsed: formatMs(elapsedMs),
    };
  });
  type Cell = (typeof cells)[number];
  const widestOf = (pick: (cell: Cell) => string, least: number): number =>
    widest(cells.map(pick), least);
  // Least widths, so that columns do not jump from frame to frame.
  const [turn, tokens, elapsed] = [
    widestOf((cell) => cell.turn, 7),
    widestOf((cell) => cell.tokens, 8),
    widestOf((cell) => cell.elapsed, 7),
  ];
  const layoutWith = (state: number): Layout =>
    layOut(
      [
        { width: turn, isDetail: true },
        { width: state, isDetail: false },
        { width: elapsed, isDetail: false },
        { width: tokens, isDetail: true },
      ],
      width,
      leastLabel,
    );
  const doing = Math.min(
    32,
    widestOf((cell) => cell.doing, 12),
  );
  const usual = layoutWith(doing);
  const isNarrow = usual.room < leastLabel;
  // What an agent waits for is longer than that it waits.
  const state = isNarrow ? widestOf((cell) => cell.status, 7) : doing;
  const layout = isNarrow ? layoutWith(state) : usual;
  const label = Math.min(
    layout.room,
    widestOf((cell) => cell.branch + cell.label, usualLabel),
  );
  return cells.map((cell) => {
    const name = clip(cell.branch + clipStart(cell.label, label - widthOf(cell.branch)), label);
    const line = joinCells(layout, pad(name, label), [
      pad(cell.turn, turn),
      pad(clip(isNarrow ? cell.status : cell.doing, state), state),
      pad(cell.elapsed, elapsed, 'right'),
      pad(cell.tokens, tokens, 'right'),
    ]);
    const text = layout.hasMark ? `  ${line}` : line;
    return cell.status === 'queued' ? paint('dim', text) : text;
  });
}
