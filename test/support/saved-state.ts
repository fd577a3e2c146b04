// Owns the states of runs as tests need them: nothing done so far but the calls of the turn. Starts no test.
import { emptyDigest } from '#src/agent/run/digest.js';
import type { ResumePoint, SavedCall, SavedDetails, SavedRun } from '#src/protocol/saved-run.js';

/** A run after a commit, before its next turn. */
export function savedState(but: Partial<SavedRun> = {}): SavedRun {
  return { step: { type: 'between_turns' }, turn: 1, ...but };
}

/** What the conversation of a run does not tell: nothing but this. */
export function savedDetails(but: Partial<SavedDetails>): SavedDetails {
  return {
    text: '',
    streak: { name: null, length: 0 },
    isShortened: false,
    isAnswered: false,
    corrections: 0,
    closingRequests: 0,
    hookFailure: null,
    ...but,
  };
}

/** A run that gave its thread up during these calls. */
export function parkedState(calls: readonly SavedCall[]): SavedRun {
  return savedState({ step: { type: 'in_tools', calls } });
}

/** Where such a run continues. */
export function resumeAt(
  runId: string,
  calls: readonly SavedCall[],
  answers: ResumePoint['answers'] = [],
): ResumePoint {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const saved = parkedState(calls);
  return { runId, saved, begins: 0, emitted: [], usage, digest: emptyDigest, known: 0, answers };
}
