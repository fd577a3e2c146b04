// Owns the state of a parked run as tests need it: nothing done so far but the calls of its turn. Starts no test.
import { noProgress } from '#src/agent/required-outputs.js';
import type { ParkedCall, ParkedRun } from '#src/protocol/parked-run.js';
import { noStreak } from '#src/tools/repetition.js';

export function parkedState(calls: readonly ParkedCall[], but: Partial<ParkedRun> = {}): ParkedRun {
  return {
    turn: 1,
    text: '',
    progress: noProgress,
    streak: noStreak,
    begins: 0,
    isShortened: false,
    hookFailure: null,
    closing: null,
    calls,
    ...but,
  };
}
