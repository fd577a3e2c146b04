// Owns the messages around the memory of an agent in each of its runs. Types only.
import type { Message } from './history.ts';

/** The messages before and after an agent's memory in each of its runs; they are not part of the memory. */
export type Preamble = {
  readonly preamble: readonly Message[];
  readonly examples: readonly Message[];
};
