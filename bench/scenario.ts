// Owns the shape of a scenario and of its sizes; how a scenario is measured is the harness's affair.
import type { Comparison } from './harness.ts';

/** How much a scenario does: `smoke` proves that it runs, `normal` measures, `full` takes the sizes the targets name. */
export type Size = 'smoke' | 'normal' | 'full';

/** A scenario's parameters at each size. */
export type Sizes<Parameters> = Readonly<Record<Size, Parameters>>;

/** One benchmark. `run` measures ours beside its baselines and throws when a result is wrong. */
export type Scenario = {
  readonly name: string;
  /** The ids of the targets it decides. */
  readonly targets: readonly string[];
  /** What is measured, in one line. */
  readonly description: string;
  /** What runs beside what, ours first. */
  readonly variants: readonly string[];
  /** `beside` is the directory of another built checkout, for a scenario that measures it in turn with this one. */
  readonly run: (size: Size, beside: string | null) => Promise<readonly Comparison[]>;
  /** Whether `run` measures `beside`. Default false. */
  readonly isComparable?: boolean;
};
