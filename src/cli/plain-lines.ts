// Owns the plain lines of a job that no terminal shows: one per start, one per end. Pure.
import type { Outcome } from '../index.ts';
import { rowOf } from './record.ts';
import { formatCount, formatMs, plural } from './units.ts';

export function startLine(label: string): string {
  return `start  ${label}`;
}

/** `end    src/a.ts  completed  2 turns  1 tool call  1.2k tokens  12 ms`. */
export function endLine(label: string, outcome: Outcome): string {
  const { status, turns, toolCalls, tokens, durationMs, remark } = rowOf({ label }, outcome);
  const figures = [
    plural(turns, 'turn'),
    plural(toolCalls, 'tool call'),
    `${formatCount(tokens)} tokens`,
    formatMs(durationMs),
  ];
  const parts = [label, status, ...figures, ...(remark === '' ? [] : [remark])];
  return `end    ${parts.join('  ')}`;
}
