// Decides how tasks end: one that waits, a run whose actor is over, a run of a persistent agent; each with what is below it.
import { type Exit, isNormalExit } from '../../actor/exit.ts';
import type { InterruptReceipt } from '../../actor/ref.ts';
import { repair } from '../../agent/history-repair.ts';
import { remembered } from '../../agent/memory-window.ts';
import { noPreamble } from '../../agent/prompt/preamble.ts';
import { type Failure, failure, TroupeError } from '../../base/failures.ts';
import { addUsage, type Outcome } from '../../base/outcome.ts';
import type { Over } from '../agent-status.ts';
import { absorb, hasRunScoped, isDone } from '../branch.ts';
import { lastAnswers } from '../completion/last-answers.ts';
import { outcomeOf, outcomeOfWaiting, receiptOf } from '../completion/outcomes.ts';
import { type RunResult, runResultOf } from '../completion/run-result.ts';
import type { Effect } from '../effect.ts';
import type { EndOfWaiting } from '../refusals.ts';
import { takenBy } from '../run-budget.ts';
import { publishPassivated } from '../run-event-publisher.ts';
import { type Agent, type Branch, type Run, subjectOf, type TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { followEvent } from './follow.ts';
import { interruptActor } from './interrupt-actor.ts';
import { hasRetry, retryLater } from './retry.ts';
import { missAll } from './steer.ts';
import { writeAgentEnded, writeEnd } from './write.ts';

/** The exit of a run whose agent survives it. */
const survives: Exit = { reason: 'normal' };

/** The end of a task that never started. */
export function endWaiting(world: World, task: TaskRecord, end: EndOfWaiting): void {
  if (task.isEnded) return;
  const { queue } = world;
  const { agent, isCounted } = task;
  agent?.queue.delete(task);
  if (agent?.lifetime === 'task') {
    queue.leave(agent);
    // It has a slot already, and its actor is not made yet.
    if (agent.isLive) {
      queue.freeSlot(agent, 'released');
      world.areSlotsDue = true;
    }
    agent.status = 'ended';
  }
  const { parent } = task.origin;
  if (isCounted && parent !== null) parent.root.treeTotal -= 1;
  endTask(world, task, outcomeOfWaiting(task, end, world.now), null);
  if (parent === null) return;
  endTreeIfDone(world, parent.root);
  finishIfDone(world, parent);
}

/** Ends all that waits for an agent. */
export function endQueue(world: World, agent: Agent, end: EndOfWaiting): void {
  for (const task of [...agent.queue]) endWaiting(world, task, end);
}

/**
 * Ends what waits below a run and marks what runs there; the running ones are the tree's to end. What is in the
 * background goes on.
 */
export function endBelow(world: World, run: Run, error: Failure): readonly InterruptReceipt[] {
  const receipts: InterruptReceipt[] = [];
  for (const child of [...run.branch.children]) {
    if (child.scope === 'session') continue;
    if (child.run !== null) {
      child.run.endFor('interrupted', error);
      receipts.push(...endBelow(world, child.run, error));
    } else if (!child.isEnded) {
      endWaiting(world, child, { exitReason: 'interrupted', error });
      receipts.push(receiptOf(child, 'not_started'));
    }
  }
  return receipts;
}

/** The runs below a run: each still has to report its children's outcomes after its actor has ended. */
export function runsBelow({ branch }: Run): readonly TaskRecord[] {
  return [...branch.children].flatMap((child) =>
    child.scope === 'session' || child.run === null ? [] : [child, ...runsBelow(child.run)],
  );
}

/**
 * The actor of an agent has ended, or has lost its activation. Its run ends once its calls have reported their children's
 * outcomes, and the runs below that wait for theirs have ended (S9, V5).
 */
export function lose(world: World, agent: Agent, exit: Exit | null, isEnded: boolean): void {
  const { run } = agent;
  const over: Over = { exit, isEnded, awaitsCalls: run?.calls.areChildrenDue === true };
  if (run === null || !isDue(run, over)) {
    finishOver(world, agent, over);
    return;
  }
  agent.over = over;
  const error = failure('interrupted', `its parent ${run.path} has ended`);
  const why = TroupeError.from(run.cause?.error ?? error);
  world.push({ type: 'end_signal', run, why });
  endBelow(world, run, error);
}

/** A persistent agent has reported that its run is over: what the run left behind is ended first (S4, V5). */
export function runEnded(world: World, run: Run): void {
  const error = failure('interrupted', `the run of ${run.path} has ended`);
  for (const { scope, run: below } of run.branch.children) {
    // One that has a cause is being ended already.
    if (scope === 'session' || below === null || below.cause !== null) continue;
    interruptActor(world, below, { reason: error.message });
  }
  endBelow(world, run, error);
  finishIfDone(world, run);
}

/** Finishes a run that has ended once nothing that it waits for is left. */
export function finishIfDone(world: World, run: Run): void {
  const { agent } = run;
  if (agent.run !== run) return;
  if (agent.over !== null) {
    if (!isDue(run, agent.over)) finishOver(world, agent, agent.over);
    return;
  }
  if (agent.lifetime === 'task' || run.record.end === null || hasRunScoped(run.branch)) return;
  endRun(world, run, survives);
  world.free.add(agent);
}

function finishOver(world: World, agent: Agent, { exit, isEnded }: Over): void {
  agent.over = null;
  const { run, lifetime } = agent;
  if (run !== null && exit !== null) endRun(world, run, exit, isEnded);
  if (lifetime === 'task') return;
  if (world.idle.delete(agent)) world.push({ type: 'stay', agent });
  if (isEnded && exit !== null) {
    endAgent(world, agent, exit);
    return;
  }
  publishPassivated(world, agent, exit);
  world.free.add(agent);
}

/** The actor of a persistent agent is over. */
function endAgent(world: World, agent: Agent, exit: Exit): void {
  world.registry.remove(agent);
  world.queue.leave(agent);
  world.push({ type: 'end_toolset', agentId: agent.id });
  if (agent.hasStarted) world.emit('agent_stopped', agent.subject, stopOf(exit));
  const error = failure('actor_terminated', `${agent.path} has ended (${exit.reason})`);
  agent.status = 'ended';
  writeAgentEnded(world, agent);
  world.push({ type: 'ready', agent, why: exit.failure ?? error });
  const wasEnded = isNormalExit(exit.reason) || exit.reason === 'killed';
  endQueue(world, agent, { exitReason: wasEnded ? 'interrupted' : 'rejected', error });
}

function endRun(world: World, run: Run, exit: Exit, isActorOver = false): void {
  const { registry, queue } = world;
  const { agent, task, record, cause, spec } = run;
  agent.run = null;
  if (agent.lifetime === 'task') registry.remove(agent);
  queue.leave(agent);
  run.timers.stop();
  for (const event of lastAnswers(run)) followEvent(world, run, event, null);
  world.push({ type: 'end_signal', run, why: undefined });
  endBelow(world, run, failure('interrupted', `its parent ${run.path} has ended`));
  if (isActorOver && agent.lifetime === 'task' && agent.hasStarted) {
    world.emit('agent_stopped', run.subject, stopOf(exit));
  }
  const result = runResultOf({ end: record.end, cause, exit, text: record.text });
  const outcome = outcomeOf(run, result, world.now);
  if (task.task.retry !== undefined && hasRetry(world, run, result)) {
    world.push({ type: 'end_toolset', agentId: agent.id });
    retryLater(world, run, outcome, result);
    return;
  }
  // A run that reached its goal leaves its agent's shell to the next one; every other end is an end to it.
  if (agent.lifetime === 'task' || outcome.status !== 'completed') {
    world.push({ type: 'end_toolset', agentId: agent.id });
  }
  if (agent.lifetime === 'persistent') {
    agent.memory = remembered(spec.shared, record.messages, record.begins);
  }
  endTask(world, task, outcome, result);
  endTreeIfDone(world, run.root);
  if (run.parent !== null) finishIfDone(world, run.parent);
}

/** A task that was given again has ended in an earlier process. */
export function foundEnded(world: World, task: TaskRecord, ended: Outcome): void {
  const { registry } = world;
  const { parent, index, job } = task.origin;
  const outcome = { ...ended, index };
  const { subtree: usage } = outcome.usage;
  const spent = takenBy(usage);
  const { idempotencyKey } = task.task;
  registry.tasks.delete(task.id);
  if (idempotencyKey !== undefined) registry.forgetKey(idempotencyKey);
  task.end(outcome);
  world.push({ type: 'found', task, outcome });
  if (parent === null) {
    // What a job has paid for counts for it, whichever process paid.
    if (job !== undefined) world.push({ type: 'carry_budget', accounts: [job], spent });
    return;
  }
  const { branch, budget } = parent;
  world.push({ type: 'carry_budget', accounts: budget.shared, spent });
  branch.children.delete(task);
  branch.usage = addUsage(branch.usage, usage);
  branch.agents += 1;
  finishIfDone(world, parent);
}

/** Takes a task off the registry with its one outcome (O2). */
function endTask(world: World, task: TaskRecord, outcome: Outcome, result: RunResult | null): void {
  const { registry } = world;
  if (task.steers !== null) missAll(world, task);
  if (task.isPaused || task.resumeClocks !== null) world.push({ type: 'resume_clocks', task });
  const { run } = task;
  const { parent } = task.origin;
  if (run !== null) run.branch.isOver = true;
  const above = branchAbove(task);
  if (above !== null) absorb(above, task);
  registry.tasks.delete(task.id);
  const { goal, agent } = task.task;
  const { preamble, examples } = run?.spec.shared.opening ?? noPreamble;
  registry.history.keep({
    outcome,
    // A run that was cut in the middle of a turn leaves no call without an answer (S5).
    messages: repair(run?.record.messages ?? []),
    begins: run?.record.begins ?? 0,
    opening: { preamble: preamble.length, examples: examples.length },
    goal,
    agentName: typeof agent === 'string' ? agent : undefined,
    sessionId: task.sessionId,
    parentTaskId: parent?.task.id ?? null,
    branch: run?.branch ?? task.earlier?.branch ?? null,
  });
  const subject = run?.subject ?? subjectOf(task);
  task.end(outcome);
  const ended = run === null || result === null ? null : { run, result };
  const memoryOf = run?.agent.lifetime === 'persistent' ? run.agent : null;
  const then: Effect[] = [{ type: 'complete', task, subject, outcome, ended }];
  writeEnd(world, task, { outcome, memoryOf }, then);
}

/** Where a task is counted once it has ended: below the run that asked for it, or in the persistent agent that was asked. */
function branchAbove({ origin: { parent }, agent }: TaskRecord): Branch | null {
  if (parent !== null) return parent.branch;
  return agent?.lifetime === 'persistent' ? agent.branch : null;
}

/** Its budget lasts as long as anything is under it. */
function endTreeIfDone(world: World, root: Run): void {
  // The tree of a task that is tried again goes on with its next run.
  if (root.task.run !== root && !root.task.isEnded) return;
  if (isDone(root.branch)) world.push({ type: 'end_tree', tree: root.task.id });
}

/** A run whose actor is over waits for its calls that waited for children, and for children whose actor is over. */
function isDue({ calls, branch }: Run, { awaitsCalls }: Over): boolean {
  if (awaitsCalls && calls.has('tool')) return true;
  for (const { scope, run } of branch.children) {
    if (scope === 'run' && run?.cell.isOver === true) return true;
  }
  return false;
}

/** The payload of the event of an agent's end. */
function stopOf({ reason, failure: cause }: Exit): { reason: string; failure?: Failure } {
  return cause === undefined ? { reason } : { reason, failure: cause };
}
