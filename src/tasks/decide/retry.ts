// Decides about a failed run that is tried again: its task is not ended, and gets another agent (O2).
import type { Outcome } from '../../base/outcome.ts';
import { handOver } from '../branch.ts';
import type { RunResult } from '../completion/run-result.ts';
import { delayAfter, isHealable } from '../retry-task.ts';
import { Agent, Branch, type Run, type TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { writeEntry } from './write.ts';

/** Whether the task of a run that has failed so has a further attempt. */
export function hasRetry(world: World, { task, agent, parent }: Run, result: RunResult): boolean {
  const { retry } = task.task;
  if (world.isClosed || retry === undefined || agent.lifetime !== 'task') return false;
  // What asked for it is being ended, or was given up.
  if (parent !== null && (parent.cause !== null || parent.agent.over !== null)) return false;
  if (task.origin.signal?.aborted === true) return false;
  const attempts = (task.earlier?.attempts ?? 0) + 1;
  return attempts < retry.attempts && isHealable(result, retry);
}

/** The run is over, its task waits for the next one. `outcome`: what it would have ended with. */
export function retryLater(world: World, run: Run, outcome: Outcome, result: RunResult): void {
  const { task, record } = run;
  const attempts = (task.earlier?.attempts ?? 0) + 1;
  const delayMs = delayAfter(attempts);
  const { error } = result;
  const about = { attempt: attempts + 1, delayMs, exitReason: result.exitReason };
  world.emit(
    'task_retried',
    run.subject,
    error === undefined ? about : { ...about, failure: error },
  );
  const branch = new Branch(run.branch.up);
  handOver(run, branch);
  const startedAt = task.earlier?.startedAt ?? run.startedAt;
  writeEntry(world, task, { type: 'attempt_failed', attempts, outcome });
  task.earlier = { attempts, outcome, startedAt, usage: record.usage, branch };
  task.run = null;
  task.agent = null;
  world.push({ type: 'retry_later', task, run, result, delayMs });
}

/** The next attempt joins the queue, as one that was admitted already. */
export function retryTask(world: World, task: TaskRecord): void {
  const { spec, earlier, depth } = task;
  if (task.isEnded || spec === null || earlier === null) return;
  const { parent } = task.origin;
  const { name } = task.task;
  const agent = new Agent({ spec, name, lifetime: 'task', parent, depth, survivesCrash: false });
  agent.branch = earlier.branch;
  agent.queue.add(task);
  task.agent = agent;
  world.queue.join(agent);
  world.areSlotsDue = true;
}
