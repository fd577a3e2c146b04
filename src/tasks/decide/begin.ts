// Decides how agents get their activations and runs begin on them: on a new actor, on the current thread, or on the next (P2, V7).
import type { Cell } from '../../actor/cell.ts';
import { taskMessage } from '../../agent/prompt/task-message.ts';
import type { Failure } from '../../base/failures.ts';
import { addUsage } from '../../base/outcome.ts';
import { noticeIdOf, takeSteers } from '../delivery.ts';
import { placeOfCall } from '../journal/place-of-call.ts';
import type { RestoredRun } from '../journal/restored-run.ts';
import type { LeftInBackground, RestoredTask } from '../journal/restored-task.ts';
import { openRun } from '../open-run.ts';
import { noSpace, overLimit } from '../refusals.ts';
import { type RunBudget, runBudget, takenBy } from '../run-budget.ts';
import { publishAgentStart, publishPassivated, publishTaskStart } from '../run-event-publisher.ts';
import { type Agent, Run, type TaskRecord } from '../state.ts';
import { isParkable } from '../waits.ts';
import type { World } from '../world.ts';
import { admission, rootOfProgram } from './admission.ts';
import { endQueue, endWaiting } from './end.ts';
import { letGoOfMemory, loadMemory } from './memory.ts';
import { writeTried } from './risk.ts';
import { writeEntry, writeSpawned } from './write.ts';

/** Gives an agent a slot and its first or next activation; the run that it is for begins or continues there. */
export function activate(world: World, agent: Agent): void {
  const { cell } = agent;
  const [task] = agent.queue;
  if (cell !== null) {
    resume(world, agent, cell);
  } else if (task !== undefined && !fits(world, task)) {
    endWaiting(world, task, noSpace);
  } else {
    world.queue.takeSlot(agent);
    const isRestored = task?.written.restored?.run != null;
    const begins = isRestored || needsNoThread(world, agent) ? 'without_thread' : 'in_thread';
    world.push({ type: 'create', agent, begins });
  }
}

/** It can be found before its activation begins: a warm thread may answer within the same call. */
export function created(world: World, agent: Agent, cell: Cell): void {
  agent.cell = cell;
  world.registry.add(agent);
  if (!agent.isLive) {
    setLive(world, agent);
    publishStart(world, agent);
    publishPassivated(world, agent, null);
    world.free.add(agent);
    return;
  }
  agent.status = 'starting';
  const [task] = agent.queue;
  if (task !== undefined) begin(world, agent, cell, task);
  if (cell.state.status !== 'parked') startThread(world, agent, cell);
  else if (agent.run !== null) {
    agent.run.thread.hasLeft = true;
    started(world, agent);
    world.emit('agent_parked', agent.run.subject, {});
    world.toBegin.add(agent.run);
  }
}

/**
 * Its thread would only ask its model: the supervisor asks (W1). That needs others which wait for a thread, or a journal: there tasks
 * end in groups, and where each group begins on threads an answer costs twice as much.
 */
function needsNoThread({ threads, isJournaled }: World, { lifetime, spec }: Agent): boolean {
  if (threads.isAlwaysNeeded || (threads.missing === 0 && !isJournaled)) return false;
  return lifetime === 'task' && spec.shared.hooks === undefined;
}

export function notCreated(world: World, agent: Agent, error: Failure): void {
  const { queue } = world;
  if (agent.isLive) queue.freeSlot(agent, 'released');
  const exitReason = error.code === 'interrupting' ? 'interrupted' : 'rejected';
  setEnded(world, agent, error);
  endQueue(world, agent, { exitReason, error });
}

/** The actor of the agent runs. */
export function started(world: World, agent: Agent): void {
  // They stood still while the run waited for a thread (W8).
  agent.run?.timers.idle?.resume();
  agent.run?.timers.resumeCalls();
  // Its calls may have reached the host before the report that it started: only now can it be asked for its thread.
  if (agent.run !== null && isParkable(agent.run)) world.areThreadsDue = true;
  if (agent.hasStarted) return;
  publishStart(world, agent);
  if (agent.status === 'starting') setLive(world, agent);
  if (agent.lifetime === 'persistent') world.free.add(agent);
}

/** Begins the next run of a persistent agent when it is free and nothing is paused. */
export function next(world: World, agent: Agent): void {
  const { cell, run, opening } = agent;
  if (cell === null || agent.status !== 'live' || run !== null || opening !== null) return;
  const [task] = agent.queue;
  if (task === undefined) {
    becomeIdle(world, agent);
    return;
  }
  if (!fits(world, task)) {
    endWaiting(world, task, noSpace);
    world.free.add(agent);
    return;
  }
  // An agent that is being passivated continues here once it is passivated.
  if (world.queue.isPaused || cell.state.status === 'passivating') return;
  leaveIdle(world, agent);
  if (agent.memory === null) {
    loadMemory(world, agent);
    return;
  }
  if (cell.state.status === 'passivated') {
    enqueue(world, agent);
    return;
  }
  agent.hasStayed = false;
  agent.opening = task;
  const { accounts } = budgetOf(world, agent, task);
  world.push({ type: 'open_budget', agent, cell, accounts });
}

/** The budget of its next run is open. */
export function budgetOpened(world: World, agent: Agent): void {
  const { cell, opening: task } = agent;
  agent.opening = null;
  if (cell === null || task === null) return;
  const isReady = agent.status === 'live' && !isPassive(agent) && !world.queue.isPaused;
  // It may have been interrupted meanwhile, and the next one has a budget of its own.
  if (task.isEnded || !isReady) world.free.add(agent);
  else begin(world, agent, cell, task);
}

/** It has a run again, has no thread any more, or is over. */
export function leaveIdle(world: World, agent: Agent): void {
  if (world.idle.delete(agent)) world.push({ type: 'stay', agent });
}

/** It has no thread, or is about to give it up. */
export function isPassive({ run, cell }: Agent): boolean {
  const status = cell?.state.status;
  return run === null && (status === 'passivated' || status === 'passivating');
}

/** It has a thread and no run. */
function becomeIdle(world: World, agent: Agent): void {
  if (isPassive(agent)) {
    letGoOfMemory(agent);
    return;
  }
  // A queued agent may need its slot, one that is ready its thread.
  world.areSlotsDue = true;
  world.areThreadsDue = true;
  // One that could not give its thread up would be asked for ever.
  if (agent.hasStayed || world.idle.has(agent)) return;
  world.idle.add(agent);
  world.push({ type: 'passivate_later', agent });
}

/** A passivated agent has a run to begin: it needs a slot, as a root does (V7, P2). */
function enqueue(world: World, agent: Agent): void {
  const { queue } = world;
  if (queue.has(agent)) return;
  const verdict = admission(world, rootOfProgram);
  if (verdict.type === 'reject') {
    endQueue(world, agent, overLimit(verdict));
    return;
  }
  queue.join(agent);
  world.areSlotsDue = true;
}

/** The run exists before the activation: its message is sent with the start, and it ends if the start fails (P2). */
function resume(world: World, agent: Agent, cell: Cell): void {
  const { run } = agent;
  const [task] = agent.queue;
  // The run that a passivated agent was queued for may have been cancelled.
  if (run === null && task === undefined) return;
  world.queue.takeSlot(agent);
  agent.hasStayed = false;
  world.emit('agent_activated', run?.subject ?? agent.subject, {});
  if (run === null && task !== undefined) begin(world, agent, cell, task);
  startThread(world, agent, cell);
}

function startThread(world: World, agent: Agent, cell: Cell): void {
  if (agent.run !== null) writeTried(world, agent.run);
  world.push({ type: 'activate', agent, cell });
}

function begin(world: World, agent: Agent, cell: Cell, task: TaskRecord): void {
  const { spec, memory } = agent;
  if (memory === null) throw new Error(`${agent.path} begins a run without its memory`);
  const { wallTime, now } = world;
  const { restored: found } = task.written;
  const restored = found?.run ?? null;
  const { beganAt = null, lastAt = 0 } = found?.log ?? {};
  const startedAt = now - (beganAt === null ? 0 : Math.max(0, lastAt - beganAt));
  const opened = { spec, task: task.task, memory, wallTime, startedAt };
  const { prompt, record } = restored ?? openRun(opened);
  if (task.earlier !== null) record.carry(task.earlier.usage);
  const budget = budgetOf(world, agent, task);
  const run = new Run({ agent, cell, task, record, budget, startedAt });
  if (restored === null) task.written.log?.begin(wallTime);
  else run.answer = restored.answer;
  task.written.restored = null;
  run.thread.readyAt = now;
  agent.queue.delete(task);
  agent.run = run;
  task.run = run;
  world.push({ type: 'open_run', run });
  if (found !== null) {
    const spent = takenBy(record.usage);
    world.push({ type: 'carry_budget', accounts: budget.accounts, spent });
  }
  if (restored !== null) chargeReserved(world, run, restored);
  if (restored !== null && found !== null) adopt(world, run, found);
  if (agent.hasStarted) publishTaskStart(world, run);
  const steers = takeSteers(task.steers);
  const message = { type: 'run', runId: task.id, messages: [prompt], ...steers } as const;
  world.push({ type: 'send', cell, message });
}

/** The process ended during a model call: what was reserved for it may have been billed. No answer came, so it is no turn. */
function chargeReserved(world: World, run: Run, { reserved, lost }: RestoredRun): void {
  const { accounts } = run.budget;
  const all = reserved === null ? lost : [...lost, reserved];
  for (const bound of all) {
    world.push({ type: 'carry_budget', accounts, spent: { ...bound, turns: 0 } });
  }
  if (reserved !== null) writeEntry(world, run.task, { type: 'reservation_lost', bound: reserved });
}

/** What its calls started that are not made again: what has ended counts below it, the others go on there. */
function adopt(world: World, run: Run, { ended, log }: RestoredTask): void {
  const { record, task, branch, budget } = run;
  const attempt = `${task.earlier?.attempts ?? 0} `;
  const noticed = new Set<string>();
  for (const { entry } of log.entries) if (entry.type === 'steered') noticed.add(entry.id);
  const unread: LeftInBackground['unread'][number][] = [];
  const calls = record.callsOfTurn.filter((_, at) => record.parkedCalls[at]?.step !== 'done');
  const again = calls.map(({ id }) => `${placeOfCall(run, id)} `);
  const isAskedAgain = (place: string): boolean => again.some((call) => place.startsWith(call));
  for (const { place, usage, unread: end } of ended) {
    if (isAskedAgain(place)) continue;
    if (end !== null && place.startsWith(attempt)) {
      const isNoticed = noticed.has(noticeIdOf(task.id, end.outcome.taskId));
      unread.push({ ...end, isNoticed });
    }
    world.push({ type: 'carry_budget', accounts: budget.shared, spent: takenBy(usage) });
    branch.usage = addUsage(branch.usage, usage);
    branch.agents += 1;
  }
  const places = [...world.found.unfinishedBelow(task.id)].filter(
    ({ place }) => !isAskedAgain(place ?? ''),
  );
  const isLeft = places.length > 0 || unread.length > 0;
  if (isLeft) world.push({ type: 'adopt', run, left: { places, unread } });
}

function budgetOf({ budgets }: World, agent: Agent, task: TaskRecord): RunBudget {
  const { parent, spec, id: agentId } = agent;
  const { id, origin } = task;
  const rootId = parent?.root.task.id ?? id;
  const above = parent?.budget ?? null;
  const facts = { taskId: id, agentId, rootId, own: spec.budget, above, job: origin.job };
  return runBudget(facts, budgets);
}

function fits(world: World, { task }: TaskRecord): boolean {
  return world.hasSpace(taskMessage(task));
}

function publishStart(world: World, agent: Agent): void {
  agent.hasStarted = true;
  publishAgentStart(world, agent);
}

function setLive(world: World, agent: Agent): void {
  agent.status = 'live';
  writeSpawned(world, agent, [{ type: 'ready', agent, why: null }]);
}

function setEnded(world: World, agent: Agent, why: Failure): void {
  agent.status = 'ended';
  world.push({ type: 'ready', agent, why });
}
