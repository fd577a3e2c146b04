// Owns restart intensity: a sliding window of restart times and its verdict.
import type { Intensity } from './child-spec.ts';

export type IntensityVerdict = {
  /** Restart times inside the window, this one included, newest first. */
  readonly history: readonly number[];
  readonly decision: 'restart' | 'give_up';
};

/** Records a restart at `now`. Exactly `maxRestarts` within the window are allowed, one more is not (V2). */
export function recordRestart(
  history: readonly number[],
  now: number,
  { maxRestarts, withinMs }: Intensity,
): IntensityVerdict {
  const recent = [now, ...history.filter((at) => now - at < withinMs)];
  return { history: recent, decision: recent.length > maxRestarts ? 'give_up' : 'restart' };
}
