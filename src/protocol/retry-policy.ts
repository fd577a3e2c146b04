// Owns how calls of models are tried again, as the supervisor hands it to its gateways. Types only.

export type RetryPolicy = {
  /** Calls for one answer, the first included. */
  readonly attempts: number;
  /** The longest wait between two of them that the provider did not ask for. */
  readonly maxDelayMs: number;
  /** How long calls wait for a provider that is down; 0: not at all. */
  readonly maxOutageMs: number;
};
