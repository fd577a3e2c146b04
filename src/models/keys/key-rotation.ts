// Owns what a provider's line is told of a call, and what it tells of a change of key. Types alone.

import type { ResponseHeaders } from '../providers/rate-headers.ts';
import type { RotationReason } from './key-selection.ts';

/** An agent was taken off a key. Labels only: nothing here tells a key. */
export type Rotation = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly endpoint: string;
  readonly from: string;
  readonly to: string;
  readonly reason: RotationReason;
};

/** Who calls, and what of the call the line needs. */
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
