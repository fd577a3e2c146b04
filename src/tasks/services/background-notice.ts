// Owns the text that tells a run of the end of a background task.
import { headAndTail } from '../../tools/output.ts';
import type { Completion, FollowedTask } from './background.ts';

/** Text of an outcome that a notice repeats. */
const maxChars = 4_000;

/** The text for the model, with what still runs, so that it need not ask; it states that no user typed it. */
export function noticeOf(
  { taskId, goal, outcome: { status, text, error } }: Completion,
  stillRunning: readonly FollowedTask[],
): { readonly text: string; readonly isWhole: boolean } {
  const head = `[Background task ${taskId} ended: ${status}${error === undefined ? '' : ` (${error.code})`}]`;
  const report = text || error?.message || '(no text)';
  const shown = headAndTail(report, maxChars, `the result of background task ${taskId}`);
  const others = stillRunning.map(({ id }) => id).join(', ');
  const left = others === '' ? '' : `\n\n[Still running in the background: ${others}]`;
  return {
    text: `${head}\nGoal: ${goal.slice(0, 200)}\n\n${shown}${left}`,
    isWhole: report.length <= maxChars,
  };
}
