// Decides what follows what an actor reports: its run events, that it gave its thread up, that it is over.
import type { Exit } from '../../actor/exit.ts';
import type { Failure } from '../../base/failures.ts';
import type { Metered } from '../../models/budget/meter.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { changesWaits } from '../parking.ts';
import type { Agent, Run } from '../state.ts';
import type { World } from '../world.ts';
import { leaveIdle } from './begin.ts';
import { lose, runEnded } from './end.ts';
import { chargeActivation, followEvent } from './follow.ts';
import { waitChanged } from './slots.ts';
import { sendAgain } from './steer.ts';

/** One of its run events, or what the host publishes on behalf of a run whose thread can no longer send it. */
export function runEvent(world: World, run: Run, event: RunEvent, spent: Metered | null): void {
  followEvent(world, run, event, spent);
  if (event.type === 'run_ended' && run.agent.lifetime === 'persistent') runEnded(world, run);
  else if (changesWaits.has(event.type)) world.areSlotsDue = true;
}

/** A thread that forges run events is not trusted any further. */
export function violated(world: World, run: Run, error: Failure): void {
  run.endFor('crashed', error);
  world.push({ type: 'kill', cell: run.cell });
}

export function parked(world: World, run: Run, spent: Metered | null): void {
  chargeActivation(world, run.agent, spent);
  run.timers.idle?.pause();
  sendAgain(run.task);
  world.queue.freeSlot(run.agent, 'parked');
  world.emit('agent_parked', run.subject, {});
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
  lose(world, agent, lost, false);
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
