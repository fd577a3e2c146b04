// Owns the types of what a rate-limited client receives with a call, and of what it reports of a change of key.

import type { ResponseHeaders } from '../providers/rate-headers.ts';
import type { RotationReason } from './key-selection.ts';

/** An agent was taken off a key. Labels only: no field contains a key. */
export type Rotation = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly endpoint: string;
  readonly from: string;
  readonly to: string;
  readonly reason: RotationReason;
};

/** Who calls, and what of the call the rate-limited client needs. */
export type KeyRotation = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly signal: AbortSignal;
  /** About what the call takes. */
  readonly tokens: number;
  hasStreamed(): boolean;
};

export type Attempt<Answer> = (
  key: number,
  onResponse: (status: number, headers: ResponseHeaders) => void,
) => Promise<Answer>;
