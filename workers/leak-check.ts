// Owns the clean-end check of a thread: what an activation left behind, compared with the thread before its first.

import { isPrinting } from './printed.ts';

const signalNames = ['exit', 'beforeExit', 'uncaughtException', 'unhandledRejection', 'warning'];

export type Baseline = {
  readonly resources: ReadonlyMap<string, number>;
  readonly listeners: ReadonlyMap<string, number>;
};

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  if (isPrinting()) counts.set('MessagePort', -1);
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function countListeners(): Map<string, number> {
  return new Map(signalNames.map((name) => [name, process.listenerCount(name)]));
}

export function takeBaseline(): Baseline {
  return { resources: countResources(), listeners: countListeners() };
}

/** What there is more of than in the baseline, by name; empty after a clean end. */
export function findLeaks(baseline: Baseline): readonly string[] {
  const leaks: string[] = [];
  for (const [kind, count] of countResources()) {
    // Work that Node itself finishes within a turn of the loop is no activation's leftover.
    if (kind === 'Immediate' || kind === 'TickObject') continue;
    if (count > (baseline.resources.get(kind) ?? 0)) leaks.push(kind);
  }
  for (const [name, count] of countListeners()) {
    if (count > (baseline.listeners.get(name) ?? 0)) leaks.push(`a listener for ${name}`);
  }
  return leaks;
}
