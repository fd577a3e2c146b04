// Owns the types of what a rate-limited client receives with a call.

import type { ResponseHeaders } from '../providers/rate-headers.ts';

/** Who calls, and what of the call the rate-limited client needs. */
export type KeyRotation = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly signal: AbortSignal;
  /** About what the call takes. */
  readonly tokens: number;
  /** Another model is asked when the call fails: it does not wait for a provider that is down, nor long for one that limits it. */
  readonly hasFallback: boolean;
  hasStreamed(): boolean;
};

/** What is reported of a provider that is down. */
export type OutageListeners = {
  /** A line for people. */
  readonly onOutage: (message: string) => void;
  /** The call of this agent begins to wait for the provider, or ends that. */
  readonly onOutageWait: (agentId: string, isWaiting: boolean) => void;
};

export type Attempt<Answer> = (
  key: number,
  onResponse: (status: number, headers: ResponseHeaders) => void,
) => Promise<Answer>;
