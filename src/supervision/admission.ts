// Owns the one atomic decision over a spawn: start it, queue it, or refuse it with the limit's name (V7).
import type { FailureCode } from '../base/failures.ts';

/** How many agents there may be, and what becomes of a task beyond that. */
export type Limits = {
  /** Levels of delegation: a root task is at depth 0, and so is a loop of the program that delegates by tools. */
  readonly maxSpawnDepth: number;
  /** Tasks of one tool call, and of all calls of a model reply. Default 3, or `DELEGATION_MAX_CONCURRENT_CHILDREN`. */
  readonly maxConcurrentChildren: number;
  /**
   * Agents that have begun and not ended, but for those that wait for agents below them. How many of them have threads is
   * another limit, `threads.max`. Default 1,000.
   */
  readonly maxLiveAgents: number;
  /** Roots that wait. */
  readonly maxQueued: number;
  /** Agents one tree may have in total; undefined for no bound. */
  readonly maxTotalAgents?: number | undefined;
  /** What becomes of a root task without a free slot: it waits, or is refused with `max_live_agents`. Default `queue`. */
  readonly overflow: 'queue' | 'reject';
};

/** Flat delegation, three at a time per call, a thousand live agents, ten thousand waiting roots. */
export const defaultLimits: Limits = {
  maxSpawnDepth: 1,
  maxConcurrentChildren: 3,
  maxLiveAgents: 1_000,
  maxQueued: 10_000,
  overflow: 'queue',
};

/** What the decision depends on, at the moment it is made. */
export type Load = {
  /** Agents that use a slot, unresponsive ones included. */
  readonly live: number;
  /** Tasks that wait for a slot and would go before this one. */
  readonly ahead: number;
  readonly queuedRoots: number;
  readonly isPaused: boolean;
  readonly isClosed: boolean;
};

export type AdmissionRequest = {
  /** 0 for a root of the program, 1 for one that the program's own loop asked for by a tool. */
  readonly depth: number;
  /** No agent of the supervisor delegated it. */
  readonly isRoot: boolean;
  /** Agents that its tree has had so far. */
  readonly treeTotal: number;
  /** Tasks of the call it came in; 1 alone. */
  readonly width: number;
  /** Tasks of the model's reply that the call is of, as far as they were let in, with those of this call. Default: `width`. */
  readonly ofReply?: number | undefined;
  /** A limit on both that the tool was made with; the smaller one applies. */
  readonly maxWidth?: number | undefined;
  /** Its caller is a leaf, which may not delegate. */
  readonly isBelowLeaf?: boolean;
  /** Asked by the program, or by a tool of an agent. */
  readonly origin: 'program' | 'tool';
  readonly isParentInterrupting: boolean;
};

export type Decision =
  | { readonly type: 'start' }
  | { readonly type: 'queue' }
  | { readonly type: 'reject'; readonly limit: FailureCode; readonly message: string };

/** Decides over one request. A refusal names the limit, its value and what was asked. */
export function admit(request: AdmissionRequest, load: Load, limits: Limits): Decision {
  const refusal = refuse(request, load, limits);
  if (refusal !== null) return refusal;
  const hasSlot = load.live < limits.maxLiveAgents && load.ahead === 0;
  if (hasSlot && !load.isPaused) return { type: 'start' };
  // A child of a running tree always waits: refused, it would make its parent fail for lack of a slot the parent uses.
  if (!request.isRoot) return { type: 'queue' };
  if (limits.overflow === 'reject' && !load.isPaused) {
    return reject('max_live_agents', `${limits.maxLiveAgents} agents are live already`);
  }
  if (load.queuedRoots >= limits.maxQueued) {
    return reject('max_queued', `${limits.maxQueued} tasks wait already`);
  }
  return { type: 'queue' };
}

function refuse(request: AdmissionRequest, load: Load, limits: Limits): Decision | null {
  const { depth, treeTotal, origin, isParentInterrupting, isBelowLeaf = false } = request;
  if (load.isClosed) return reject('closed', 'the supervisor is closed');
  if (isParentInterrupting) return reject('interrupting', 'its parent is being interrupted');
  if (origin === 'tool' && load.isPaused) return reject('paused', 'the supervisor is paused');
  if (isBelowLeaf) return reject('max_spawn_depth', 'a leaf has no subagents');
  if (depth > limits.maxSpawnDepth) {
    const { maxSpawnDepth } = limits;
    return reject('max_spawn_depth', `depth ${depth} is below the limit of ${maxSpawnDepth}`);
  }
  const why = origin === 'tool' ? refuseWidth(request, limits) : null;
  if (why !== null) return reject('max_concurrent_children', why);
  const { maxTotalAgents } = limits;
  if (maxTotalAgents !== undefined && treeTotal >= maxTotalAgents) {
    return reject('max_total_agents', `the tree has had ${treeTotal} agents, its limit`);
  }
  return null;
}

function refuseWidth(request: AdmissionRequest, { maxConcurrentChildren }: Limits): string | null {
  const { width, ofReply = width, maxWidth = maxConcurrentChildren } = request;
  const max = Math.min(maxConcurrentChildren, maxWidth);
  if (width > max) return `${width} tasks in one call, the limit is ${max}`;
  return ofReply > max ? `${ofReply} tasks in one reply, the limit is ${max}` : null;
}

function reject(limit: FailureCode, message: string): Decision {
  return { type: 'reject', limit, message: `${limit}: ${message}` };
}
