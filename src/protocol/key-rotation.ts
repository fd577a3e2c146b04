// Owns the report that an agent was taken off a key. Types only.

/** Why an agent was taken off a key. */
export type RotationReason = 'rate_limited' | 'auth' | 'billing' | 'limit_reached';

/** An agent was taken off a key. Labels only: no field contains a key. */
export type Rotation = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly endpoint: string;
  readonly from: string;
  readonly to: string;
  readonly reason: RotationReason;
};
