// Owns the notice to an agent that a background task ended: a message for its run's conversation, queued until taken.
import type { Clock } from '../../base/clock.ts';
import type { BackgroundTask } from '../../protocol/host-services.ts';
import { headAndTail } from '../../tools/output.ts';
import type { Run } from '../state.ts';
import type { SteeringQueue } from '../steering-queue.ts';
import { Background, type Completion } from './background.ts';

/** Text of an outcome that a notice repeats. */
const maxChars = 4_000;

/** The background tasks of an agent's run; the run receives each end that no call waited for, once. */
export function backgroundOf(
  run: Run,
  { clock, steering }: { readonly clock: Clock; readonly steering: SteeringQueue },
): Background {
  const background = new Background(clock, (completion) => {
    // A run that is ending takes no more messages, and its children end with it.
    if (run.cause !== null || run.record.end !== null) return () => {};
    const id = `${run.task.id}.${completion.id}`;
    const delivered = steering.deliver(run.task, {
      id,
      text: noticeOf(completion, background.unfinished()),
      source: 'background',
    });
    // A longer text is shortened in the message; the task keeps the whole until it is read.
    const isWhole = reportOf(completion).length <= maxChars;
    void delivered.then(
      (end) => end === 'taken' && isWhole && background.acknowledge(completion.id),
    );
    return () => steering.retract(run.task, id);
  });
  return background;
}

/** The text for the model, with what still runs, so that it need not ask; it states that no user typed it. */
function noticeOf(completion: Completion, stillRunning: readonly BackgroundTask[]): string {
  const { taskId, goal, outcome } = completion;
  const { status, error } = outcome;
  const head = `[Background task ${taskId} ended: ${status}${error === undefined ? '' : ` (${error.code})`}]`;
  const shown = headAndTail(
    reportOf(completion),
    maxChars,
    `the result of background task ${taskId}`,
  );
  const others = stillRunning.map((task) => task.taskId).join(', ');
  const left = others === '' ? '' : `\n\n[Still running in the background: ${others}]`;
  return `${head}\nGoal: ${goal.slice(0, 200)}\n\n${shown}${left}`;
}

function reportOf({ outcome: { text, error } }: Completion): string {
  return text || error?.message || '(no text)';
}
