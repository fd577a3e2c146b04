// Owns the shape of a message for a run from outside, until the run's thread confirms it or its task is over (M2).
import type { Steer } from '../protocol/run-controls.ts';

/** A message for a run, and its source. */
export type Delivery = Steer & {
  readonly source: 'steer' | 'background';
  readonly settle: (end: 'taken' | 'undelivered') => void;
};

/** The notice to a run of the end of a task in its background: the same in every process. */
export function noticeIdOf(taskId: string, endedId: string): string {
  return `${taskId}.${endedId}`;
}

export type OpenDelivery = Delivery & {
  /** The current activation has it; after parking, the next one receives it again. */
  isSent: boolean;
};

/** The messages that no activation of the run has. */
export function unsentSteers(steers: readonly OpenDelivery[] | null): readonly Steer[] {
  const unsent = steers?.filter(({ isSent }) => !isSent) ?? [];
  return unsent.map(({ id, text }) => ({ id, text }));
}

/** The messages that the run's current activation does not have; they are sent with this. */
export function takeSteers(steers: readonly OpenDelivery[] | null): {
  readonly steers?: readonly Steer[];
} {
  const unsent = steers?.filter(({ isSent }) => !isSent) ?? [];
  if (unsent.length === 0) return {};
  for (const each of unsent) each.isSent = true;
  return { steers: unsent.map(({ id, text }) => ({ id, text })) };
}
