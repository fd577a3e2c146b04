// Owns the one decision over each message: what it changes of the world, and the effects that follow. Performs none.
import { failure } from '../../base/failures.ts';
import type { SchedulerMessage } from '../messages.ts';
import type { World } from '../world.ts';
import { budgetOpened, created, next, notCreated, started } from './begin.ts';
import { endWaiting, foundEnded } from './end.ts';
import { endAgent, interrupt, timedOut, toolOverran } from './interrupt.ts';
import { memoryLoaded, memoryLost } from './memory.ts';
import { close, closeOnFault, pauseAll, pauseTask, resumeAll, resumeTask } from './pause.ts';
import {
  parked,
  passivated,
  released,
  runEvent,
  stayedLive,
  streamed,
  unresponsive,
  violated,
} from './report.ts';
import { retryTask } from './retry.ts';
import { handOut, makeRoom, waitChanged, waitsSettled } from './slots.ts';
import { deliver, retract } from './steer.ts';
import { beginParked, endParked, modelMessage } from './step.ts';
import { admitTask, ask, restoreAgent, spawn, submit } from './submit.ts';
import { shareThreads, threadsNeeded } from './threads.ts';
import {
  addEntry,
  journalChanged,
  unwritten,
  whenWritten,
  writeAcknowledged,
  writeSession,
  written,
} from './write.ts';

/** Decides over a message, then over all that has become possible by it: runs that can begin, slots that are free. */
export function decide(world: World, message: SchedulerMessage): void {
  decideOver(world, message);
  while (isMoreDue(world)) {
    const free = [...world.free];
    world.free.clear();
    for (const agent of free) next(world, agent);
    const toBegin = [...world.toBegin];
    world.toBegin.clear();
    for (const run of toBegin) beginParked(world, run);
    const toEnd = [...world.toEnd];
    world.toEnd.clear();
    for (const run of toEnd) endParked(world, run);
    world.areSlotsDue = false;
    handOut(world);
    makeRoom(world);
  }
  if (!world.areThreadsDue) return;
  world.areThreadsDue = false;
  if (world.threads.missing > 0 || world.threads.isAlwaysNeeded) shareThreads(world);
}

function isMoreDue({ free, toBegin, toEnd, areSlotsDue }: World): boolean {
  return areSlotsDue || free.size > 0 || toBegin.size > 0 || toEnd.size > 0;
}

/** A decision or an effect has failed, by a fault of this code: nothing starts any more, and every task ends with it. */
export function decideOnFault(world: World, cause: unknown): void {
  const message = cause instanceof Error ? cause.message : String(cause);
  const error = failure('internal', `the scheduler failed: ${message}`);
  world.free.clear();
  world.toBegin.clear();
  world.toEnd.clear();
  world.areSlotsDue = false;
  world.areThreadsDue = false;
  world.emit('log', {}, { level: 'error', message: 'the scheduler failed', failure: error });
  closeOnFault(world, error);
}

function decideOver(world: World, message: SchedulerMessage): void {
  switch (message.type) {
    case 'submit':
      submit(world, message.tasks, message.isFrozen);
      break;
    case 'admit':
      admitTask(world, message.task, message.spec, message.isFrozen);
      break;
    case 'entry':
      addEntry(world, message.run, message.entry, message.waiter);
      break;
    case 'when_written':
      whenWritten(world, [{ type: 'end_wait', waiter: message.waiter, why: null }]);
      break;
    case 'session':
      writeSession(world, message.change);
      break;
    case 'acknowledged':
      writeAcknowledged(world, message.taskId, message.waiter);
      break;
    case 'written':
      written(world, message.then);
      break;
    case 'unwritten':
      unwritten(world, message.then, message.failure);
      break;
    case 'pruned':
      for (const taskId of message.taskIds) world.found.forget(taskId);
      break;
    case 'journal_changed':
      journalChanged(world, message.failure);
      break;
    case 'retry':
      retryTask(world, message.task);
      break;
    case 'found_ended':
      foundEnded(world, message.task, message.outcome);
      break;
    case 'spawn':
      spawn(world, message.agent, message.isLazy);
      break;
    case 'restore_agent':
      restoreAgent(world, message.agent, message.runs);
      break;
    case 'ask':
      ask(world, message.agent, message.task);
      break;
    case 'end_waiting':
      endWaiting(world, message.task, message.end);
      break;
    case 'interrupt':
      interrupt(world, message.run, message.ending);
      break;
    case 'end_agent':
      endAgent(world, message.agent, message.ending);
      break;
    case 'pause':
      pauseAll(world);
      break;
    case 'resume':
      world.areSlotsDue = true;
      resumeAll(world);
      break;
    case 'close':
      close(world);
      break;
    case 'pause_task':
      pauseTask(world, message.task);
      break;
    case 'resume_task':
      world.areSlotsDue = true;
      resumeTask(world, message.task);
      break;
    case 'steer':
      deliver(world, message.task, message.delivery);
      break;
    case 'retract':
      retract(world, message.task, message.id);
      break;
    case 'created':
      created(world, message.agent, message.cell);
      break;
    case 'not_created':
      world.areSlotsDue = true;
      notCreated(world, message.agent, message.error);
      break;
    case 'budget_opened':
      budgetOpened(world, message.agent);
      break;
    case 'memory_loaded':
      memoryLoaded(world, message.agent, message.loaded);
      break;
    case 'memory_lost':
      memoryLost(world, message.agent, message.error);
      break;
    case 'started':
      started(world, message.agent);
      break;
    case 'run_event':
      runEvent(world, message.run, message.event, message.spent);
      break;
    case 'violated':
      violated(world, message.run, message.error);
      break;
    case 'parked':
      world.areSlotsDue = true;
      parked(world, message.run, message.spent, message.early);
      break;
    case 'streamed':
      streamed(world, message.run, message.delta);
      break;
    case 'model_message':
      modelMessage(world, message.run, message.message, message.spent);
      break;
    case 'interrupt_parked':
      // Below an agent whose clock fired, the interrupt alone says why.
      message.run.endFor('interrupted', failure('interrupted', message.reason));
      world.toEnd.add(message.run);
      break;
    case 'threads_needed':
      threadsNeeded(world, message.need);
      break;
    case 'released':
      world.areSlotsDue = true;
      released(world, message.agent, message.exit, message.spent);
      break;
    case 'passivated':
      world.areSlotsDue = true;
      passivated(world, message.agent, message.lost, message.spent);
      break;
    case 'stayed_live':
      stayedLive(world, message.agent);
      break;
    case 'unresponsive':
      unresponsive(world, message.agent);
      break;
    case 'gone':
      // An unresponsive thread exited after all.
      world.areSlotsDue = true;
      world.queue.freeUnresponsive();
      break;
    case 'check_slots':
      world.isRefusalOpen = false;
      world.areSlotsDue = true;
      world.areThreadsDue = true;
      break;
    case 'check_waits':
      waitsSettled(world);
      break;
    case 'wait_changed':
      waitChanged(world, message.run);
      break;
    case 'timed_out':
      timedOut(world, message.run, message.fired);
      break;
    case 'tool_overran':
      toolOverran(world, message.run, message.name, message.limitMs);
      break;
  }
}
