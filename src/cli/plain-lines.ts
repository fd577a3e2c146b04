// Owns the plain lines of a job that no terminal shows: one per start and end, and per tool call where asked for. Pure.
import type { Outcome, TroupeEvent } from '../index.ts';
import { rowOf } from './record.ts';
import type { TaskNames } from './task-names.ts';
import { formatCount, formatMs, plural } from './units.ts';

export type PlainLineOptions = {
  readonly names: Pick<TaskNames, 'labelOf'>;
  /** A line per tool call as well. */
  readonly showsTools: boolean;
};

/** The events that have a line; a reader needs no others. */
export const plainTypes = [
  'task_started',
  'tool_started',
  'tool_completed',
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
    case 'tool_started':
      return showsTools ? `tool   ${label}  ${event.name}` : null;
    case 'tool_completed':
      return showsTools && event.isError ? failedCall(label, event) : null;
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
export function endText(label: string, outcome: Outcome): string {
  const { status, turns, toolCalls, tokens, durationMs, remark } = rowOf({ label }, outcome);
  const figures = [
    plural(turns, 'turn'),
    plural(toolCalls, 'tool call'),
    `${formatCount(tokens)} tokens`,
    formatMs(durationMs),
  ];
  return [label, status, ...figures, ...(remark === '' ? [] : [remark])].join('  ');
}
