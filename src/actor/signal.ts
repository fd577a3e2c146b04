// Owns the signals that end something, and their strength (S1).

/** The signals that end something, weakest first; a target's strength only rises (S1). */
export type StopSignal = 'interrupt' | 'stop' | 'kill';

const strengths: Readonly<Record<StopSignal, number>> = { interrupt: 1, stop: 2, kill: 3 };

/** 1 interrupt, 2 stop, 3 kill; 0 is nothing sent. */
export function strengthOf(kind: StopSignal): number {
  return strengths[kind];
}
