// Writes down for the host what this thread uses, where Node does not tell the host itself.
import { getHeapStatistics } from 'node:v8';
import { repeatedly } from '../src/base/clock.ts';
import { canAskThreads, lookMs, usedMb } from '../src/protocol/heap-look.ts';
import { sharedFlags } from '../src/protocol/shared-flags.ts';

/** To be called before the timers of this thread are followed: it is no activation's leftover. */
export function reportUsedMemory(flags: Int32Array): void {
  if (canAskThreads) return;
  repeatedly(lookMs, () => {
    Atomics.store(flags, sharedFlags.usedMb, usedMb(getHeapStatistics()));
  });
}
