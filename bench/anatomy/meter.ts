// Owns the shape of a meter: what all of them count, each in a process of its own, so that none falls into another's figures.
import type { Figures } from './figures.ts';

export type MeterName = 'messages' | 'functions' | 'allocations' | 'cpu';

/** Opened before the library is loaded; it ends with its process. */
export type Meter = {
  /** Makes the process ready for a window that is measured. */
  readonly prepare: () => Promise<void>;
  /** What it has counted so far, host and threads. */
  readonly read: () => Promise<Figures>;
  /** What is reported of the cost of one thing. */
  readonly report: (cost: Figures) => Figures;
};
