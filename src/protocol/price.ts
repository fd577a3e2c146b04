// Owns what a price of a model is. Types only.

/** US dollars per million tokens; `0` for a free model. Cached input without its own price costs as much as input. */
export type ModelPrice =
  | 0
  | {
      /** Input that was neither read from a cache nor written to one. */
      readonly inputPerMTok: number;
      /** Responses, thinking included. */
      readonly outputPerMTok: number;
      /** Input read from a cache. */
      readonly cacheReadPerMTok?: number;
      /** Input written to a cache. */
      readonly cacheWritePerMTok?: number;
    };
