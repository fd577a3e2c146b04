// Owns the gate before one key: how many calls it lets out at once, and what closes and widens it. Pure, without time.
import type { RateView } from '../providers/rate-headers.ts';

/**
 * What all agents of a key see of its limits. A gate begins with a few calls at a time, and again after every closing
 * with one, so that waiting calls never go out as a crowd; each successful response doubles that.
 */
export type RateLimiter = {
  /** Calls out at once; null: as many as come. */
  readonly window: number | null;
  readonly open: number;
  /** Of those, the ones that no response came for: the provider's count may lack them. */
  readonly unanswered: number;
  /** Calls let out so far. */
  readonly sent: number;
  /** What the last responses reported, oldest first. */
  readonly recent: readonly Reported[];
  /** Null: the provider reported nothing, or its last report is out of date. */
  readonly requestsLeft: number | null;
  readonly tokensLeft: number | null;
  /** Milliseconds until the provider's limits are whole again, as it last reported. */
  readonly resetMs: number | null;
  readonly isClosed: boolean;
  /** Grows with each closing: a call that was let out before belongs to what the gate was closed for. */
  readonly round: number;
};

/** What a response reported of its key's limits, and how many calls had been let out when it came. */
type Reported = {
  readonly sent: number;
  readonly requestsLeft: number | null;
  readonly tokensLeft: number | null;
};

/** Calls that a key lets out before its provider has answered one, where nothing else is set. */
export const defaultStart = 8;

/** The gate of a key that was never asked; `window` calls go out before the provider's first response, null for all. */
export function newLimiter(window: number | null): RateLimiter {
  return {
    window,
    open: 0,
    unanswered: 0,
    sent: 0,
    recent: [],
    requestsLeft: null,
    tokensLeft: null,
    resetMs: null,
    isClosed: false,
    round: 0,
  };
}

/** Beyond this many at once a gate has no limit. */
const maxWindow = 64;
/** Reports that are kept: few calls are out while so many others come back. */
const maxRecent = 64;

/** True when a call of about so many tokens may go out now. */
export function canPass(gate: RateLimiter, tokens: number): boolean {
  return !gate.isClosed && !isUsedUp(gate, tokens) && !isCrowded(gate);
}

/** True when the provider's last report leaves too little for the call: only the reset restores it. */
export function isUsedUp({ requestsLeft, tokensLeft }: RateLimiter, tokens: number): boolean {
  if (requestsLeft !== null && requestsLeft < 1) return true;
  return tokensLeft !== null && tokensLeft < tokens;
}

/** True when as many calls are out as the window lets. */
function isCrowded({ window, open }: RateLimiter): boolean {
  return window !== null && open >= window;
}

/** One more call is out; what it will take is deducted until the provider reports otherwise. */
export function pass(gate: RateLimiter, tokens: number): RateLimiter {
  const { requestsLeft, tokensLeft } = gate;
  return {
    ...gate,
    open: gate.open + 1,
    unanswered: gate.unanswered + 1,
    sent: gate.sent + 1,
    requestsLeft: requestsLeft === null ? null : requestsLeft - 1,
    tokensLeft: tokensLeft === null ? null : Math.max(0, tokensLeft - tokens),
  };
}

/** A call came back, however it ended. */
export function leave(gate: RateLimiter): RateLimiter {
  return { ...gate, open: gate.open - 1 };
}

/** A response came for a call, or none ever will. */
export function noticed(gate: RateLimiter): RateLimiter {
  return { ...gate, unanswered: gate.unanswered - 1 };
}

/**
 * Applies a response's report. Calls without a response may be missing from its count of requests left: they are
 * deducted, so the view errs towards waiting and their own responses correct it. The provider may have counted calls
 * that were out together in any order: of what their responses report, the least counts.
 */
export function reported(gate: RateLimiter, view: RateView, call: number): RateLimiter {
  const { requestsLeft, requestsResetMs, tokensLeft, tokensResetMs } = view;
  const report: Reported = { sent: gate.sent, requestsLeft, tokensLeft };
  // What came after this call was let out may have been counted after it.
  const together = [report, ...gate.recent.filter(({ sent }) => sent >= call)];
  const requests = leastOf(together.map((each) => each.requestsLeft));
  const isNewest = together.length === 1;
  // What the other open calls will take is deducted already: only the newest report may add to it.
  const tokens = leastOf([
    ...together.map((each) => each.tokensLeft),
    isNewest ? null : gate.tokensLeft,
  ]);
  const resets = [requestsResetMs, tokensResetMs].filter((each) => each !== null);
  return {
    ...gate,
    recent: [...gate.recent, report].slice(-maxRecent),
    requestsLeft:
      requestsLeft === null || requests === null
        ? gate.requestsLeft
        : Math.max(0, requests - gate.unanswered),
    tokensLeft: tokens ?? gate.tokensLeft,
    resetMs: resets.length === 0 ? gate.resetMs : Math.max(...resets),
  };
}

function leastOf(counts: readonly (number | null)[]): number | null {
  const report = counts.filter((count) => count !== null);
  return report.length === 0 ? null : Math.min(...report);
}

/** The provider answers: twice as many may be out. */
export function widen(gate: RateLimiter): RateLimiter {
  if (gate.window === null) return gate;
  const window = gate.window * 2;
  return { ...gate, window: window > maxWindow ? null : window };
}

/** The provider is overloaded for all callers: one call at a time again. */
export function narrow(gate: RateLimiter): RateLimiter {
  return { ...gate, window: 1 };
}

/** Callers of another key are on their way: one more than are out goes first, the others after it. */
export function brace(gate: RateLimiter): RateLimiter {
  const window = gate.open + 1;
  return gate.window !== null && gate.window <= window ? gate : { ...gate, window };
}

/** No call passes until `reopen`. */
export function close(gate: RateLimiter): RateLimiter {
  return { ...gate, isClosed: true, window: 1, round: gate.round + 1 };
}

/** The provider's limits are whole again; its last report is out of date. One call goes first, the others after it. */
export function refill(gate: RateLimiter): RateLimiter {
  return { ...gate, window: 1, requestsLeft: null, tokensLeft: null, recent: [] };
}

/** The wait is over: one call tries, the others after it. What was left is kept while its reset is known. */
export function reopen(gate: RateLimiter): RateLimiter {
  const open = { ...gate, isClosed: false, window: 1 };
  return gate.resetMs === null ? refill(open) : open;
}
