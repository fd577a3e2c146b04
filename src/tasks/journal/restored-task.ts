// Owns a task as it was when the process ended, until its run goes on. Types only.
import type { RunRecord } from '../../agent/run/record.ts';
import type { Usage } from '../../base/outcome.ts';
import type { Message } from '../../protocol/history.ts';
import type { RestoredRun } from './restored-run.ts';
import type { ReadLog } from './run-entry.ts';

/** What a task that its run had delegated, and that has ended, has used; and by which call it is found. */
export type EndedBelow = { readonly place: string; readonly usage: Usage };

export type RestoredTask = {
  readonly log: ReadLog;
  readonly ended: readonly EndedBelow[];
  /** Its run as it goes on; null before its agent is known, and for one that has committed nothing. */
  run: (RestoredRun & { readonly prompt: Message; readonly record: RunRecord }) | null;
};
