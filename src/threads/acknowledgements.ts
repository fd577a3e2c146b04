// Owns the wait for a thread with messages on their way, which is given up when it is silent. For clocks that do not
// advance by themselves (V8).
import { systemClock } from '../base/clock.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { WorkerSlot } from './worker-slot.ts';

const maxSilenceMs = 1_000;
/** What a thread takes to come up on a busy machine, and then to load what its first activation needs. */
const maxOpeningMs = 10_000;
const maxLoadMs = 3_000;

/**
 * Resolves when the thread has read what was posted to it so far and has no request of its own under way, is gone, or
 * gives no sign for a while: then it spins or is blocked, and is `isSilent` before it gives one.
 */
export async function acknowledgement(slot: WorkerSlot): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    slot.ping(() => {
      slot.isSilent = false;
      resolve();
    }, true);
  });
  const limits = { clock: systemClock, timeoutMs: patienceWith(slot) };
  if (!(await resolvedWithin(answered, limits))) slot.isSilent = true;
}

function patienceWith({ isOpening, traffic }: WorkerSlot): number {
  if (isOpening) return maxOpeningMs;
  // The thread has sent `online`, and no activation on it has sent anything.
  return traffic <= 1 ? maxLoadMs : maxSilenceMs;
}
