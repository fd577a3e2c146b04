// Owns the limits of what an agent remembers of a run. Types only.

/** How much is remembered; what is left out has no limit. */
export type MemoryLimits = {
  /** The newest messages, at most so many. */
  readonly maxMessages?: number;
  /** The newest messages, at most so many characters as a model reads them. */
  readonly maxChars?: number;
  /** Characters of one tool's result; a longer one is cut and marked as cut. */
  readonly maxResultChars?: number;
};
