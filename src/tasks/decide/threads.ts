// Decides which activations leave their threads for runs that wait for one, and which request is refused when none can (W1, W7).

import type { Agent, Run } from '../state.ts';
import { newestBelowStuck, threadDeadlock } from '../thread-deadlock.ts';
import type { ThreadDemand } from '../thread-use.ts';
import { isParkable, isStuck } from '../waits.ts';
import type { World } from '../world.ts';
import { endQueue } from './end.ts';

/** A run whose tools left something open in its thread is asked again after so many milliseconds. */
const askAgainMs = 1_000;

/** What the pool reported last: so many requests wait for a thread, and whether it may open any more. */
export function threadsNeeded(world: World, need: ThreadDemand): void {
  world.threads = need;
  world.areThreadsDue = need.missing > 0 || need.isAlwaysNeeded;
}

/** Asks as many activations for their threads as requests wait: those of idle agents, and of runs that only wait. */
export function shareThreads(world: World): void {
  const { registry, threads } = world;
  let wanted = threads.isAlwaysNeeded ? Number.POSITIVE_INFINITY : threads.missing;
  let stuck = 0;
  const holders = world.threadHolders();
  for (const id of holders) {
    const agent = registry.agents.get(id);
    if (agent === undefined) continue;
    if (agent.run !== null && isStuck(agent.run)) stuck += 1;
    else if (agent.run?.thread.isAsked === true) wanted -= 1;
    else if (wanted > 0 && askFor(world, agent)) wanted -= 1;
  }
  if (stuck === 0 && !world.hasExtraThreads) return;
  world.hasExtraThreads = stuck > 0;
  world.push({ type: 'allow_threads', stuck });
  if (stuck === holders.length && !threads.canGrow) refuseNewest(world);
}

/** The run keeps its thread for now. */
export function keepsThread(world: World, run: Run, leaks: readonly string[]): void {
  const { thread, spec } = run;
  thread.isAsked = false;
  if (leaks.length === 0) return;
  const { wasLeaking } = thread;
  thread.askAgainAt = world.now + askAgainMs;
  thread.wasLeaking = true;
  // Once is often only what a tool was about to close.
  if (!wasLeaking) return;
  const open = leaks.join(', ');
  const tool = run.record.lastThreadTool ?? 'a hook';
  if (world.hasReportedLeaks(spec.key, tool)) return;
  const message = `agent ${spec.name} keeps its thread while it waits: ${tool} left open there: ${open}`;
  world.emit('log', run.subject, { level: 'warn', message });
}

function askFor(world: World, agent: Agent): boolean {
  const { run, cell } = agent;
  if (cell === null) return false;
  if (run === null) {
    if (!world.idle.has(agent) || world.threads.missing === 0) return false;
    world.push({ type: 'passivate', agent });
    return true;
  }
  return askToLeave(world, run);
}

/** False for a run that cannot leave its thread now. */
export function askToLeave(world: World, run: Run): boolean {
  const { thread, cell } = run;
  if (!isParkable(run) || thread.askAgainAt > world.now) return false;
  thread.isAsked = true;
  world.push({ type: 'control', cell, control: { type: 'park' } });
  return true;
}

/** Every thread there may be is held by a call that waits for children which need one. */
function refuseNewest(world: World): void {
  if (world.isRefusalOpen) return;
  const newest = newestBelowStuck(world.registry.agents.values());
  if (newest === null) return;
  world.isRefusalOpen = true;
  const { run, cell } = newest;
  if (run === null || cell === null) endQueue(world, newest, threadDeadlock);
  else {
    run.endFor(threadDeadlock.exitReason, threadDeadlock.error);
    world.push({ type: 'kill', cell });
  }
  // Its parent may go on now, or wait for another that will never begin.
  world.push({ type: 'check_slots_later' });
}
