// Decides who has a slot: the next of those that wait, and which run or idle agent gives its own up (V7).
import { goesOn, runToPark } from '../parking.ts';
import { newestInDeadlock, slotDeadlock } from '../slot-deadlock.ts';
import type { Run } from '../state.ts';
import type { World } from '../world.ts';
import { activate } from './begin.ts';
import { endQueue, finishIfDone } from './end.ts';

/** Hands free slots out in order. */
export function handOut(world: World): void {
  const { queue } = world;
  if (world.isClosed || queue.waiting === 0) return;
  for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) activate(world, next);
}

/** With agents that wait for a slot and none free, asks for one that is idle or only waits. */
export function makeRoom(world: World): void {
  const { queue, registry, idle } = world;
  if (world.isClosed || queue.waiting === 0 || !queue.isFull) return;
  let asked = 0;
  for (const agent of idle) {
    if (asked >= queue.waiting) break;
    world.push({ type: 'passivate', agent });
    asked += 1;
  }
  if (asked > 0) return;
  const run = runToPark(registry.runs());
  if (run !== null) {
    run.agent.slot = 'parking';
    world.push({ type: 'control', cell: run.cell, control: { type: 'park' } });
    return;
  }
  const stuck = world.isRefusalOpen ? null : newestInDeadlock(registry.agents.values(), queue);
  if (stuck === null) return;
  world.isRefusalOpen = true;
  endQueue(world, stuck, slotDeadlock);
  // Its parent may go on now, or wait for another that will never begin.
  world.push({ type: 'check_slots_later' });
}

/** What the calls of a run wait for has changed, or one of them has its result. */
export function waitChanged(world: World, run: Run): void {
  const { agent } = run;
  if (agent.run !== run) return;
  if (agent.over !== null) {
    finishIfDone(world, run);
    return;
  }
  world.areSlotsDue = true;
  // Nothing that it waits for is left: it goes to the head of the queue.
  if (agent.slot === 'parked' && goesOn(run)) world.queue.joinReady(agent);
}
