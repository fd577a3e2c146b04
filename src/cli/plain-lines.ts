// Owns the plain lines of a job that no terminal shows: one per start and end, and per tool call where asked for. Pure.
import type { Outcome, TroupeEvent } from '../index.ts';
import { joinCells, layOut, shareRoom } from './columns.ts';
import { type Paint, styleOfStatus } from './paint.ts';
import { type ResultRow, rowOf } from './record.ts';
import type { TaskNames } from './task-names.ts';
import { clip, clipStart, oneLine, widthOf } from './text.ts';
import { formatCount, formatMs, plural } from './units.ts';

export type PlainLineOptions = {
  readonly names: Pick<TaskNames, 'labelOf'>;
  /** A line per tool call as well. */
  readonly showsTools: boolean;
};

/** The events that have a line; a reader needs no others. */
export const plainTypes = [
  'task_started',
  'task_recovered',
  'tool_started',
  'tool_completed',
  'task_retried',
  'task_completed',
] as const;

/** The line of an event, or null (C42). */
export function plainLine(
  event: TroupeEvent,
  { names, showsTools }: PlainLineOptions,
): string | null {
  const label = names.labelOf(event.taskId ?? '') ?? event.taskId ?? '';
  switch (event.type) {
    case 'task_started':
      return `start  ${label}`;
    case 'task_recovered':
      return event.isStarted ? `go on  ${label}  after ${plural(event.turns, 'turn')}` : null;
    case 'tool_started':
      return showsTools ? `tool   ${label}  ${event.name}` : null;
    case 'tool_completed':
      return showsTools && event.isError ? failedCall(label, event) : null;
    case 'task_retried':
      return `retry  ${label}  run ${event.attempt} in ${formatMs(event.delayMs)}  ${event.failure?.code ?? event.exitReason}`;
    case 'task_completed':
      return `end    ${endText(label, event.outcome)}`;
    default:
      return null;
  }
}

function failedCall(label: string, { name, failure }: TroupeEvent<'tool_completed'>): string {
  return `tool   ${label}  ${name} failed${failure === undefined ? '' : `: ${failure.code}`}`;
}

/** `src/a.ts  completed  2 turns  1 tool call  1.2k tokens  12 ms`. */
function endText(label: string, outcome: Outcome): string {
  const row = rowOf({ label }, outcome);
  return [label, ...cellsOf(row), ...(row.remark === '' ? [] : [row.remark])].join('  ');
}

/** The status first, the time last, and details between. */
function cellsOf({ status, turns, toolCalls, tokens, durationMs }: ResultRow): readonly string[] {
  return [
    status,
    plural(turns, 'turn'),
    plural(toolCalls, 'tool call'),
    `${formatCount(tokens)} tokens`,
    formatMs(durationMs),
  ];
}

const leastLabel = 12;

/** The line of an end on a terminal, with its mark, not wider than `width`: the label and the remark are shortened. */
export function endLine(label: string, outcome: Outcome, width: number, paint: Paint): string {
  const row = rowOf({ label: oneLine(label) }, outcome);
  const { style, mark } = styleOfStatus(row.status);
  const cells = cellsOf(row);
  const columns = cells.map((text, at) => {
    return { width: widthOf(text), isDetail: at > 0 && at < cells.length - 1 };
  });
  const wanted = widthOf(row.label);
  const layout = layOut(columns, width, Math.min(leastLabel, wanted));
  const remark = oneLine(row.remark);
  const least = Math.min(leastLabel, wanted);
  const shares = shareRoom(layout, { label: wanted, remark: widthOf(remark), least });
  const line = joinCells(layout, clipStart(row.label, shares.label), cells);
  const shown = clip(remark, shares.remark);
  const text = shown === '' ? line : `${line}${layout.gap}${shown}`;
  return layout.hasMark ? `${paint(style, mark)} ${text}` : text;
}
