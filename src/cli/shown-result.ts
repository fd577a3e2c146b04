// Owns what `--show` prints of a result: answers whole, or failures with their reasons. Pure.

import { answerLines } from './answer.ts';
import { type Paint, styleOfStatus } from './paint.ts';
import type { ResultRecord } from './record.ts';
import { oneLine } from './text.ts';

export const showKinds = ['answers', 'failures'] as const;
export type ShowKind = (typeof showKinds)[number];

/** The lines of a result as it comes; none of one that is not asked for. */
export function shownLines(
  show: ShowKind | null,
  record: ResultRecord,
  paint: Paint,
): readonly string[] {
  const isCompleted = record.status === 'completed';
  if (show === null || (show === 'failures' && isCompleted)) return [];
  const { style, mark } = styleOfStatus(record.status);
  const title = `${paint(style, mark)} ${record.file ?? oneLine(record.goal)}`;
  if (isCompleted) return [title, ...answerLines(record.text)];
  const { error, exitReason, text, status } = record;
  const why = error === undefined ? exitReason : `${error.code}: ${oneLine(error.message)}`;
  return [title, `  ${status}, ${why}`, ...(show === 'answers' ? answerLines(text) : [])];
}
