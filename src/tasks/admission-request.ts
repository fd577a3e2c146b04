// Owns the admission request of a task and the place its spec is resolved for (V7). Decides nothing.
import type { AdmissionRequest } from '../supervision/admission.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Place } from './resolve/agent-resolver.ts';
import { depthOf, type TaskOrigin, type TaskRecord } from './state.ts';

export function admissionRequestOf(entry: TaskRecord, runtime: AgentRuntime): AdmissionRequest {
  const { parent, width, ofReply, maxWidth, isToolCall } = entry.origin;
  // What outlives its caller's run was let in or refused when it was asked for.
  const endsWithParent = entry.scope === 'run';
  return {
    depth: entry.depth,
    isRoot: parent === null,
    treeTotal: parent?.root.treeTotal ?? 0,
    width,
    ofReply,
    maxWidth,
    isBelowLeaf: parent?.spec.rights.isLeaf === true,
    origin: parent === null && isToolCall !== true ? 'program' : 'tool',
    isParentInterrupting:
      parent !== null && endsWithParent && runtime.isInterrupting(parent.cell.address),
  };
}

/** The place that the agent spec of a task is resolved for. */
export function placeOf(origin: TaskOrigin): Place {
  const { parent, isToolCall = false } = origin;
  return { parent: parent?.spec, depth: depthOf(origin), isOfLoop: isToolCall && parent === null };
}

/** An agent that the program spawns, or one task of it. */
export const rootOfProgram: AdmissionRequest = {
  depth: 0,
  isRoot: true,
  treeTotal: 0,
  width: 1,
  origin: 'program',
  isParentInterrupting: false,
};
