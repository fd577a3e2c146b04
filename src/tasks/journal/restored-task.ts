// Owns a task as it was when the process ended, until its run goes on. Types only.
import type { RunRecord } from '../../agent/run/record.ts';
import type { Message } from '../../protocol/history.ts';
import type { RestoredRun } from './restored-run.ts';
import type { ReadLog } from './run-entry.ts';

export type RestoredTask = {
  readonly log: ReadLog;
  /** Its run as it goes on; null before its agent is known, and for one that has committed nothing. */
  run: (RestoredRun & { readonly prompt: Message; readonly record: RunRecord }) | null;
};
