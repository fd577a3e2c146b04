// Decides who is live: the next of those that wait for a place, who needs none while it waits for its children, which idle agent
// gives its own up (V7).
import type { Run } from '../state.ts';
import { needsNoPlace } from '../waits.ts';
import type { World } from '../world.ts';
import { activate } from './begin.ts';
import { finishIfDone } from './end.ts';
import { resultsChanged } from './step.ts';

/** Hands free places out in order. */
export function handOut(world: World): void {
  const { queue } = world;
  if (world.isClosed || queue.waiting === 0) return;
  for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) activate(world, next);
}

/** With agents that wait for a place and none free, asks idle ones for theirs. */
export function makeRoom(world: World): void {
  const { queue, idle } = world;
  if (world.isClosed || queue.waiting === 0 || !queue.isFull) return;
  let asked = 0;
  for (const agent of idle) {
    if (asked >= queue.waiting) break;
    world.push({ type: 'passivate', agent });
    asked += 1;
  }
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
  if (agent.isLive && needsNoPlace(run)) {
    queue.freeSlot(agent, 'yielded');
    world.areSlotsDue = true;
  } else if (agent.slot === 'yielded' && !agent.isParked && !needsNoPlace(run)) {
    // Its thread goes on: it is counted again, whatever the limit.
    queue.takeSlot(agent);
  }
  if (agent.isParked) resultsChanged(world, run);
  // Its calls may be all on the host now.
  world.areThreadsDue = true;
}
