// Owns the decisions of a credential pool: which key an agent is on, and what becomes of a key that failed. Pure.

import type { LeaseStrategy } from '../../protocol/key-pool.ts';
import type { RotationReason } from '../../protocol/key-rotation.ts';
import { brace, close, isUsedUp, type RateLimiter, reopen } from './rate-limiter.ts';

type KeyHealth =
  | { readonly status: 'ready' }
  /** Becomes ready again by itself, after this time in all. */
  | { readonly status: 'cooling'; readonly waitMs: number }
  | { readonly status: 'out'; readonly reason: 'auth' | 'billing' };

/** One key of a pool, without the key. */
export type KeyState = {
  readonly health: KeyHealth;
  readonly gate: RateLimiter;
  /** Agents on this key. */
  readonly holders: number;
  /** Calls sent so far. */
  readonly used: number;
};

export type KeyRequest = {
  readonly strategy: LeaseStrategy;
  /** The key the agent is on. */
  readonly leased: number | null;
  /** Where `round_robin` goes on. */
  readonly cursor: number;
  /** About what the call will take. */
  readonly tokens: number;
};

/** The key that a call goes to, now or when its gate opens; null while none works. Sticky: a key that works is kept. */
export function chooseKey(keys: readonly KeyState[], request: KeyRequest): number | null {
  const { strategy, leased, cursor, tokens } = request;
  const ready = [...keys.keys()].filter((index) => keys[index]?.health.status === 'ready');
  const roomy = ready.filter((index) => !isUsedUp(gateOf(keys, index), tokens));
  const isLeasedReady = leased !== null && ready.includes(leased);
  if (isLeasedReady && (roomy.includes(leased) || roomy.length === 0)) return leased;
  const candidates = roomy.length > 0 ? roomy : ready;
  const [first] = candidates;
  if (first === undefined) return null;
  switch (strategy) {
    case 'fill_first':
      return first;
    case 'round_robin':
      return candidates.find((index) => index >= cursor) ?? first;
    case 'least_used':
      return candidates.reduce((best, index) =>
        isLessUsed(keys[index], keys[best]) ? index : best,
      );
  }
}

/**
 * The key after a 429 on a call that went out in `round`: its gate is closed for the wait, and its agents go on under
 * another key that works. Refusals of calls that were out before the gate closed change nothing.
 */
export function limited(key: KeyState, round: number, waitMs: number): KeyState {
  if (round < key.gate.round || key.health.status !== 'ready') return key;
  const health: KeyHealth = { status: 'cooling', waitMs };
  return { ...key, gate: close(key.gate), health };
}

/** A ready key when another one is limited: agents come over together, and are not let out together. */
export function braced(key: KeyState): KeyState {
  return key.health.status === 'ready' ? { ...key, gate: brace(key.gate) } : key;
}

/** The key that the provider takes no more. */
export function disabled(key: KeyState, reason: 'auth' | 'billing'): KeyState {
  return { ...key, health: { status: 'out', reason } };
}

/** The key after its wait; a key that is out remains out. */
export function recovered(key: KeyState): KeyState {
  const gate = reopen(key.gate);
  return key.health.status === 'cooling'
    ? { ...key, gate, health: { status: 'ready' } }
    : { ...key, gate };
}

/** True when no key works and none comes back in the longest time that is waited for. */
export function isSpent(keys: readonly KeyState[], maxWaitMs: number): boolean {
  return keys.every(({ health }) => {
    return health.status === 'out' || (health.status === 'cooling' && health.waitMs > maxWaitMs);
  });
}

/** Why an agent has to leave a key. */
export function reasonToLeave({ health }: KeyState): RotationReason {
  switch (health.status) {
    case 'out':
      return health.reason;
    case 'cooling':
      return 'rate_limited';
    case 'ready':
      return 'limit_reached';
  }
}

function gateOf(keys: readonly KeyState[], index: number): RateLimiter {
  // The index is one of the list's own.
  return (keys[index] as KeyState).gate;
}

function isLessUsed(a: KeyState | undefined, b: KeyState | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.holders === b.holders ? a.used < b.used : a.holders < b.holders;
}
