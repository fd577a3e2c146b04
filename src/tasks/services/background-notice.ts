// Owns how an agent hears of a background task that ended: a message in its run's conversation, kept until it is there.
import type { Clock } from '../../base/clock.ts';
import { headAndTail } from '../../tools/output.ts';
import type { BackgroundTask } from '../../tools/tool.ts';
import type { Run } from '../run.ts';
import type { SteeringQueue } from '../steering-queue.ts';
import { Background, type Completion } from './background.ts';

/** Text of an outcome that a notice repeats. */
const maxChars = 4_000;

/** The background tasks of an agent's run; each end that nobody waited for is told to the run, once. */
export function backgroundOf(
  agent: Run,
  { clock, steering }: { readonly clock: Clock; readonly steering: SteeringQueue },
): Background {
  const background = new Background(clock, (completion) => {
    // A run that is ending takes nothing any more, and its children end with it.
    if (agent.cause !== null || agent.record.end !== null) return () => {};
    const id = `${agent.task.id}.${completion.id}`;
    const delivered = steering.deliver(agent.task, {
      id,
      text: noticeOf(completion, background.unfinished()),
      source: 'background',
    });
    // Of a longer text the whole stays with the task, until it is read.
    const isWhole = reportOf(completion).length <= maxChars;
    void delivered.then(
      (end) => end === 'taken' && isWhole && background.acknowledge(completion.id),
    );
    return () => steering.withdraw(agent.task, id);
  });
  return background;
}

/** What the model is told, with what still runs, so that it need not ask; its words say that nobody typed them. */
export function noticeOf(completion: Completion, stillRunning: readonly BackgroundTask[]): string {
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
