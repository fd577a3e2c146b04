// Decides what is written down of tasks, and what waits until that is durable (J1). Where there is no journal nothing waits.
import { previewOfResult } from '../../agent/preview.ts';
import { type Failure, failure } from '../../base/failures.ts';
import type { Outcome, Usage } from '../../base/outcome.ts';
import type { TaskPlace } from '../../journal/records.ts';
import type { AgentControl } from '../../protocol/run-controls.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { agentsOf, filesOf, usageOf } from '../branch.ts';
import { outcomeOfWaiting } from '../completion/outcomes.ts';
import type { AfterWrite, Effect } from '../effect.ts';
import {
  isWritten,
  type RunEntry,
  type TaskWrite,
  type WrittenEvent,
} from '../journal/run-entry.ts';
import type { SessionChange } from '../journal/stored-session.ts';
import { jsonOf, storedTask } from '../journal/stored-task.ts';
import { noRisk, type Risk } from '../journal/trials.ts';
import type { StoredUse } from '../journal/written-agent.ts';
import type { WriteWaiter } from '../journal/written-task.ts';
import { type Agent, type Run, TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { endRisk, followRisk } from './risk.ts';

/** The task is accepted; its caller learns of it once that is durable. */
export function writeAccepted(world: World, task: TaskRecord): void {
  if (task.written.log === null) {
    task.written.acceptanceEnded(null);
    return;
  }
  const { id: taskId } = task;
  const place = placeOf(task);
  const isRoot = place.parentId === null;
  const { index, width, parent, was } = task.origin;
  const profile = parent?.spec.profile ?? was?.profile;
  const below = isRoot ? { depth: task.depth, profile } : { depth: 0, profile: undefined };
  const { text: spec, missing } = storedTask(task.task, { index, width, was: below });
  const record: TaskWrite = { type: 'task_accepted', ...place, at: world.wallTime, spec };
  world.write(record, [{ type: 'end_acceptance', task, why: null }]);
  for (const field of missing) {
    if (world.hasReportedMissing(field)) continue;
    const message = `a task has a ${field} that only this process knows: after a restart such a task fails`;
    world.emit('log', { taskId, depth: task.depth }, { level: 'warn', message });
  }
}

/** What a run has committed. True when what its calls took is written with it. */
export function writeEvent(world: World, run: Run, event: RunEvent, spent: Usage | null): boolean {
  const { task } = run;
  if (task.written.log === null || !isWritten(event)) return false;
  followRisk(world, run, event);
  if (world.isClosed) {
    writeResults(world, task, event);
    return false;
  }
  if (event.type === 'tool_results') writeReceived(world, run);
  // The results of a turn follow its last call.
  if (event.type === 'tool_completed' && event.result === undefined) return false;
  writeEntry(world, task, event, spent);
  return true;
}

/** The conversation has what its calls read of tasks in the background: their ends need not be kept. */
function writeReceived(world: World, { received }: Run): void {
  for (const taskId of received.splice(0)) {
    world.write({ type: 'task_acknowledged', taskId, at: world.wallTime });
  }
}

/**
 * The supervisor closes: its interrupt is no part of the run, which goes on with the next one. What its calls came to until then
 * is kept.
 */
function writeResults(world: World, task: TaskRecord, event: WrittenEvent): void {
  if (event.type === 'tool_completed' && !event.isError) writeEntry(world, task, event);
  if (event.type !== 'tool_results') return;
  for (const block of event.message.content) {
    if (block.type !== 'tool_result' || block.is_error === true) continue;
    const { tool_use_id: callId } = block;
    // Its start has its name.
    const about = {
      callId,
      name: '',
      isError: false,
      resultPreview: previewOfResult(block.content),
    };
    writeEntry(world, task, { type: 'tool_completed', ...about, result: block });
  }
}

export function writeEntry(
  world: World,
  task: TaskRecord,
  entry: RunEntry,
  spent: Usage | null = null,
): void {
  const { log } = task.written;
  if (log === null) return;
  const { id: taskId } = task;
  world.write({ type: 'run_committed', taskId, at: world.wallTime, ...log.next(entry, spent) });
}

/** The outcome of a task has been received: it need not be kept. */
export function writeAcknowledged(world: World, taskId: string, waiter: WriteWaiter | null): void {
  if (world.isJournaled) {
    world.write({ type: 'task_acknowledged', taskId, at: world.wallTime });
  }
  if (waiter !== null) whenWritten(world, [{ type: 'end_wait', waiter, why: null }]);
}

/** What the board of a session has become; null for a session that is over. */
export function writeSession(world: World, { sessionId, board }: SessionChange): void {
  if (!world.isJournaled) return;
  const at = world.wallTime;
  if (board === null) world.write({ type: 'session_ended', sessionId });
  else world.write({ type: 'session_changed', sessionId, at, ...board });
}

/** What the thread of a run does not report. */
export function addEntry(
  world: World,
  { task }: Run,
  entry: RunEntry,
  waiter: WriteWaiter | null,
): void {
  writeEntry(world, task, entry);
  if (waiter !== null) whenWritten(world, [{ type: 'end_wait', waiter, why: null }]);
}

/** A thread has committed: it goes on once that is durable. */
export function acknowledge(world: World, run: Run): void {
  if (!world.isJournaled) return;
  run.thread.commits += 1;
  whenWritten(world, [{ type: 'acknowledge', run, commits: run.thread.commits }]);
}

/** The end of a task: its event and its promise wait until it is durable. What ends with its supervisor goes on with the next. */
export function writeEnd(
  world: World,
  task: TaskRecord,
  { outcome, memoryOf }: { readonly outcome: Outcome; readonly memoryOf: Agent | null },
  then: readonly Effect[],
): void {
  endRisk(world, task);
  if (task.written.log === null || (world.isClosed && outcome.status === 'interrupted')) {
    const { idempotencyKey } = task.task;
    if (idempotencyKey !== undefined) world.registry.keyEnded(idempotencyKey);
    for (const effect of then) world.push(effect);
    return;
  }
  const { taskId, idempotencyKey, ...place } = placeOf(task);
  const memory = memoryRecords(memoryOf);
  const remembered: readonly AfterWrite[] =
    memoryOf === null || memory.length === 0 ? [] : [{ type: 'remembered', agent: memoryOf }];
  world.writeAll([...memory, endOf(world, outcome)], [...then, ...remembered]);
  // What it had delegated to earlier, and has not asked for again, ends with it.
  for (const lost of world.found.lostBelow(taskId))
    world.write(endOf(world, lostOutcome(world, lost)));
  if (idempotencyKey === null) return;
  world.registry.forgetKey(idempotencyKey);
  world.found.add({ ...place, taskId, idempotencyKey, ...noRisk, status: outcome.status });
}

/** What outlives the run that asked for it is a root of its session. */
function placeOf({
  id: taskId,
  origin,
  scope,
  sessionId,
  task,
  agent,
}: TaskRecord): Omit<TaskPlace, 'status' | keyof Risk> {
  const { parent, isBackground = false } = origin;
  const key = parent === null ? task.idempotencyKey : undefined;
  const name = agent?.lifetime === 'persistent' ? agent.name : undefined;
  const above = scope === 'session' ? null : parent;
  return {
    taskId,
    parentId: above?.task.id ?? null,
    place: above === null ? null : (origin.place ?? null),
    agent: name ?? null,
    session: above === null ? (sessionId ?? null) : null,
    isBackground,
    idempotencyKey: key ?? null,
  };
}

function endOf({ wallTime: at }: World, outcome: Outcome): TaskWrite {
  const { status, taskId } = outcome;
  return { type: 'task_ended', taskId, at, status, outcome: jsonOf(outcome) };
}

/** The end of a task of an earlier process whose parent has ended without it. */
function lostOutcome(world: World, id: string): Outcome {
  const origin = { parent: null, index: 0, width: 1 };
  const task = { goal: '' };
  const record = new TaskRecord({ id, task, origin, acceptedAt: world.now, agent: null });
  const error = failure('interrupted', 'its parent has ended');
  return outcomeOfWaiting(record, { exitReason: 'interrupted', error }, world.now);
}

/** A later process finds the agent by its name; what waits for that is due once it would. */
export function writeSpawned(world: World, agent: Agent, then: readonly Effect[]): void {
  const { written, name, spec, survivesCrash } = agent;
  const { stored = null } = written ?? {};
  const isNew = stored?.definition !== spec.name || stored.survivesCrash !== survivesCrash;
  if (written === null || name === undefined || !isNew) {
    for (const effect of then) world.push(effect);
    return;
  }
  written.stored = { definition: spec.name, survivesCrash };
  const text = jsonOf(written.stored);
  world.write({ type: 'agent_spawned', name, at: world.wallTime, spec: text }, then);
}

/** The agent is over. What ends with its supervisor goes on with the next. */
export function writeAgentEnded(world: World, { written, name }: Agent): void {
  const isKept = written !== null && written.stored !== null;
  if (!isKept || name === undefined || world.isClosed) return;
  world.write({ type: 'agent_ended', name });
}

/** What a run has changed of the memory of its agent; none where nothing is written down. */
function memoryRecords(agent: Agent | null): readonly TaskWrite[] {
  if (agent === null) return [];
  const { written, name, memory, branch } = agent;
  if (written === null || name === undefined || memory === null) return [];
  const files = [...(filesOf(branch) ?? [])];
  const used: StoredUse = { usage: usageOf(branch), agents: agentsOf(branch), files };
  const change = written.remember(memory);
  return [{ type: 'agent_remembered', name, used: jsonOf(used), ...change }];
}

/** Performs the effects once all that was decided on before is durable. */
export function whenWritten(
  world: World,
  then: readonly Exclude<AfterWrite, { readonly type: 'remembered' }>[],
): void {
  if (world.isJournaled) world.writeAll([], then);
  else for (const effect of then) if (effect.type !== 'acknowledge') world.push(effect);
}

/** What was to be written is durable. */
export function written(world: World, then: readonly AfterWrite[]): void {
  world.unwritten -= then.length;
  for (const effect of then) {
    if (effect.type === 'acknowledge') {
      const { run, commits } = effect;
      run.thread.durable = commits;
      const control: AgentControl = { type: 'durable', runId: run.task.id, commits };
      world.push({ type: 'control', cell: run.cell, control });
    } else if (effect.type === 'remembered') {
      effect.agent.written?.remembered();
      world.free.add(effect.agent);
    } else world.push(effect);
  }
}

/** It never will be: a task whose end is not written down has not completed, and goes on with the next supervisor. */
export function unwritten(world: World, then: readonly AfterWrite[], error: Failure): void {
  world.unwritten -= then.length;
  for (const effect of then) {
    switch (effect.type) {
      case 'acknowledge':
      case 'ask_model':
      case 'remembered':
        // No model is asked any more, and no thread goes on.
        break;
      case 'complete': {
        const failed = { status: 'failed', exitReason: 'error', error } as const;
        world.push({ ...effect, outcome: { ...effect.outcome, ...failed } });
        break;
      }
      case 'end_wait':
      case 'end_acceptance':
      case 'ready':
        world.push({ ...effect, why: error });
        break;
      default:
        world.push(effect);
    }
  }
}

/** The journal cannot write: nothing is accepted, and nothing completes, until it can (J3). */
export function journalChanged(world: World, failure: Failure | null): void {
  const isKnown = world.journalFailure !== null;
  world.journalFailure = failure;
  if (failure === null) {
    world.emit('log', {}, { level: 'warn', message: 'the journal can write again' });
    return;
  }
  if (isKnown) return;
  world.emit('journal_failed', {}, { failure });
  const message = 'the journal cannot write: no task is accepted, and none completes, until it can';
  world.emit('log', {}, { level: 'error', message, failure });
}
