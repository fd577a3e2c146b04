// Owns what a price of a model is.

/** US dollars per million tokens; `0` for a free model. Cached input without its own price costs as much as input. */
export type ModelPrice =
  | 0
  | {
      readonly inputPerMTok: number;
      readonly outputPerMTok: number;
      readonly cacheReadPerMTok?: number;
      readonly cacheWritePerMTok?: number;
    };
