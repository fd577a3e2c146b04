// Owns what admission is asked about a task or an agent, and the place that a spec is resolved for (V7). Admits none itself.
import { type AdmissionRequest, admit, type Decision } from '../../supervision/admission.ts';
import type { Place } from '../resolve/agent-spec.ts';
import { isCostLimited } from '../run-budget.ts';
import { depthOf, type TaskOrigin, type TaskRecord } from '../state.ts';
import type { World } from '../world.ts';

export function admission(world: World, request: AdmissionRequest): Decision {
  const { queue, limits, idle, isClosed } = world;
  const load = {
    live: queue.live,
    ahead: queue.waiting,
    queuedRoots: queue.queuedRoots,
    isPaused: queue.isPaused,
    isClosed,
  };
  // Slots of idle agents do not count as overflow: they are reclaimed and the task is queued.
  const now = idle.size > 0 ? { ...limits, overflow: 'queue' as const } : limits;
  return admit(request, load, now);
}

/** `isFrozen`: an interrupt, stop or kill affects the actor of its parent. */
export function requestOf(task: TaskRecord, isFrozen: boolean): AdmissionRequest {
  const { parent, width, ofReply, maxWidth, isToolCall } = task.origin;
  return {
    depth: task.depth,
    isRoot: parent === null,
    treeTotal: parent?.root.treeTotal ?? 0,
    width,
    ofReply,
    maxWidth,
    isBelowLeaf: parent?.spec.rights.isLeaf === true,
    origin: parent === null && isToolCall !== true ? 'program' : 'tool',
    // What outlives its caller's run was let in or refused when it was asked for.
    isParentInterrupting: isFrozen && task.scope === 'run',
  };
}

/** The place that the agent spec of a task is resolved for. */
export function placeOf(origin: TaskOrigin): Place {
  const { parent, job, was, isToolCall = false } = origin;
  return {
    parent: parent?.spec,
    profile: parent?.spec.profile ?? was?.profile,
    depth: depthOf(origin),
    isOfLoop: isToolCall && parent === null,
    isCostLimited: isCostLimited(parent?.budget.shared ?? (job === undefined ? [] : [job])),
  };
}

/** An agent that the program spawns, or one that has a run again. */
export const rootOfProgram: AdmissionRequest = {
  depth: 0,
  isRoot: true,
  treeTotal: 0,
  width: 1,
  origin: 'program',
  isParentInterrupting: false,
};
