// Decides who is live: the next of those that wait for a place, who needs none while it waits for its children, which idle agent
// gives its own up (V7).
import type { Run } from '../state.ts';
import { isParkable, needsNoPlace } from '../waits.ts';
import type { World } from '../world.ts';
import { activate } from './begin.ts';
import { finishIfDone } from './end.ts';
import { resultsChanged } from './step.ts';
import { askToLeave } from './threads.ts';

/** Hands free places out in order. */
export function handOut(world: World): void {
  const { queue } = world;
  if (world.isClosed || queue.waiting === 0) return;
  for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) activate(world, next);
}

/** What has begun to wait in the last turn still does, or has been refused. */
export function waitsSettled(world: World): void {
  for (const run of world.settling) world.resting.add(run);
  world.settling.clear();
  world.areSlotsDue = true;
}

/** With agents that wait for a place and none free, asks those for theirs that need none. */
export function makeRoom(world: World): void {
  const { queue, idle, resting } = world;
  if (world.isClosed || queue.waiting === 0 || !queue.isFull) return;
  let asked = 0;
  for (const agent of idle) {
    if (asked >= queue.waiting) break;
    world.push({ type: 'passivate', agent });
    asked += 1;
  }
  for (const run of resting) {
    if (asked >= queue.waiting) break;
    if (run.agent.run !== run || !run.agent.isLive || !needsNoPlace(run)) resting.delete(run);
    else if (run.thread.isAsked || givesPlaceUp(world, run)) asked += 1;
  }
}

/**
 * A run leaves its thread with its place, and waits for one again when it goes on. What a tool keeps there until its children
 * have ended gives up the place alone, which they may need: it goes on without waiting.
 */
function givesPlaceUp(world: World, run: Run): boolean {
  if (isParkable(run)) return askToLeave(world, run);
  if (!run.calls.areChildrenDue) return false;
  yieldPlace(world, run);
  return true;
}

/** The run keeps its thread, also where others wait for its place: its children may be those. */
export function keepsPlace(world: World, run: Run): void {
  if (run.agent.isLive && run.calls.areChildrenDue) yieldPlace(world, run);
}

function yieldPlace(world: World, run: Run): void {
  world.resting.delete(run);
  world.queue.freeSlot(run.agent, 'yielded');
  world.areSlotsDue = true;
}

/** What the calls of a run wait for has changed, or one of them has its result. */
export function waitChanged(world: World, run: Run): void {
  const { agent } = run;
  if (agent.run !== run) return;
  if (agent.over !== null) {
    finishIfDone(world, run);
    return;
  }
  const { queue } = world;
  const isFree = needsNoPlace(run);
  if (agent.isLive && isFree && agent.isParked) yieldPlace(world, run);
  else if (agent.isLive && isFree && !world.resting.has(run)) {
    if (world.settling.size === 0) world.push({ type: 'check_waits_later' });
    world.settling.add(run);
  } else if (agent.slot === 'yielded' && !agent.isParked && !isFree) {
    // Its thread goes on: it is counted again, whatever the limit.
    queue.takeSlot(agent);
  }
  if (agent.isParked) resultsChanged(world, run);
  // Its calls may be all on the host now.
  world.areThreadsDue = true;
}
