// Owns when a supervisor on a manual clock is quiescent: no message is in transit between its parts.
import { systemClock } from '../base/clock.ts';
import { nextTurn, requestsOver } from '../base/next-turn.ts';

/** A part that exchanges messages: how many so far, and when it has processed all that it received. */
type Part = { readonly traffic: number; acknowledged(): Promise<void> };

/** A message between two threads passes by unseen: what is still twice in a row has none. */
const stillRounds = 2;
/** A run that never ends and never waits is left to go on. */
const maxRounds = 10_000;

/**
 * Resolves when no part has anything on its way: threads have read what was posted to them, their answers have come, and
 * what followed from these. Code that waits for a timer of its own, another process or a network is not waited for.
 */
export async function untilQuiescent(
  threads: Part,
  models: Part,
  events: { readonly lastSeq: number },
): Promise<void> {
  let before = Number.NaN;
  let still = 0;
  for (let round = 0; still < stillRounds && round < maxRounds; round += 1) {
    await Promise.all([threads.acknowledged(), models.acknowledged()]);
    await requestsOver(systemClock.now);
    await nextTurn();
    const now = threads.traffic + models.traffic + events.lastSeq;
    still = now === before ? still + 1 : 0;
    before = now;
  }
}
