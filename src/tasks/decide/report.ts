// Decides what follows what an actor reports: its run events, that it gave its thread up, that it is over.
import type { Exit } from '../../actor/exit.ts';
import { type Failure, failure } from '../../base/failures.ts';
import type { Metered } from '../../models/budget/meter.ts';
import type { FromGateway, StreamedDelta } from '../../protocol/model-messages.ts';
import { mustBeDurable, type RunEvent } from '../../protocol/run-events.ts';
import { changesWaits, isLeft } from '../parking.ts';
import { publishPassivated } from '../run-event-publisher.ts';
import type { Agent, Run } from '../state.ts';
import { endsByItself } from '../waits.ts';
import type { World } from '../world.ts';
import { leaveIdle } from './begin.ts';
import { lose, runEnded } from './end.ts';
import { chargeActivation, followEvent } from './follow.ts';
import { keepsPlace, waitChanged } from './slots.ts';
import { sendAgain } from './steer.ts';
import { askHere, modelMessage, resumeParked } from './step.ts';
import { keepsThread } from './threads.ts';
import { acknowledge } from './write.ts';

/** One of its run events, or what the host publishes on behalf of a run whose thread can no longer send it. */
export function runEvent(world: World, run: Run, event: RunEvent, spent: Metered | null): void {
  followEvent(world, run, event, spent);
  if (mustBeDurable(event)) acknowledge(world, run);
  if (event.type === 'turn_started') {
    for (const delta of run.thread.unread.splice(0)) streamed(world, run, delta);
  }
  if (event.type === 'run_ended' && run.agent.lifetime === 'persistent') runEnded(world, run);
  else if (event.type === 'park_refused') {
    keepsThread(world, run, event.leaks);
    keepsPlace(world, run);
  } else if (changesWaits.has(event.type) && run.agent.over === null) waitChanged(world, run);
}

/** A piece of its model's answer has come: it may have overtaken what its thread reports of the turn that it belongs to. */
export function streamed(world: World, run: Run, message: StreamedDelta): void {
  const { agent, record, thread } = run;
  if (agent.run !== run || record.end !== null) return;
  const { type, callId, turn, delta } = message;
  if (turn > record.turns) thread.unread.push(message);
  else followEvent(world, run, { type, callId, delta }, null);
}

/** A thread that forges run events is not trusted any further. */
export function violated(world: World, run: Run, error: Failure): void {
  run.endFor('crashed', error);
  world.push({ type: 'kill', cell: run.cell });
}

/** The run has left its thread. `early`: what its model has answered since. */
export function parked(
  world: World,
  run: Run,
  spent: Metered | null,
  early: readonly FromGateway[],
): void {
  const { agent, record } = run;
  run.thread.isAsked = false;
  run.thread.hasLeft = true;
  sendAgain(run.task);
  world.emit('agent_parked', run.subject, {});
  if (!isLeft(record)) {
    chargeActivation(world, agent, spent);
    const message = 'a thread left a run and did not leave its state';
    run.endFor('crashed', failure('protocol_violation', message));
    world.push({ type: 'kill', cell: run.cell });
    return;
  }
  if (early.length === 0) chargeActivation(world, agent, spent);
  for (const [at, message] of early.entries()) {
    modelMessage(world, run, message, at === early.length - 1 ? spent : null);
  }
  if (record.saved.step?.type === 'asking' && !record.isAsked && early.length === 0) {
    if (run.cause === null) askHere(world, run);
    else world.toEnd.add(run);
  }
  // It was resumed on its way out of its thread.
  if (run.cause === null && !run.task.isPaused) resumeParked(world, run);
  // It was interrupted on its way out of its thread.
  const isKept = agent.lifetime === 'persistent' || endsByItself(run);
  if (run.cause !== null && isKept) world.toEnd.add(run);
  waitChanged(world, run);
}

/** The actor of an agent is over. */
export function released(world: World, agent: Agent, exit: Exit, spent: Metered | null): void {
  chargeActivation(world, agent, spent);
  // An unresponsive thread still uses its slot: it is counted until it is gone (S7).
  if (exit.reason !== 'unresponsive') world.queue.freeSlot(agent, 'released');
  lose(world, agent, exit, true);
}

/** A persistent agent has no thread any more; the run that it lost with it is over. */
export function passivated(
  world: World,
  agent: Agent,
  lost: Exit | null,
  spent: Metered | null,
): void {
  chargeActivation(world, agent, spent);
  world.queue.freeSlot(agent, 'released');
  const { run } = agent;
  if (run === null || run.record.end === null) {
    lose(world, agent, lost, false);
    return;
  }
  // It ended while it had no thread.
  publishPassivated(world, agent, null);
  runEnded(world, run);
}

/** A persistent agent was asked to passivate and did not. */
export function stayedLive(world: World, agent: Agent): void {
  leaveIdle(world, agent);
  agent.hasStayed = true;
  world.free.add(agent);
}

export function unresponsive(world: World, { run, subject }: Agent): void {
  world.emit('agent_unresponsive', run?.subject ?? subject, {});
}
