// Owns a task as it was when the process ended, until its run goes on. Types only.
import type { RunRecord } from '../../agent/run/record.ts';
import type { Outcome, Usage } from '../../base/outcome.ts';
import type { TaskPlace } from '../../journal/records.ts';
import type { Message } from '../../protocol/history.ts';
import type { Task } from '../task.ts';
import type { RestoredRun } from './restored-run.ts';
import type { ReadLog } from './run-entry.ts';

/** What a task that its run had delegated, and that has ended, has used; and by which call it is found. */
export type EndedBelow = {
  readonly place: string;
  readonly usage: Usage;
  /** In the background, and its end was not received; null for any other. */
  readonly unread: UnreadEnd | null;
};

/** A task in the background that has ended, and that its owner has not received yet. */
export type UnreadEnd = { readonly task: Task; readonly outcome: Outcome };

export type RestoredTask = {
  readonly log: ReadLog;
  readonly ended: readonly EndedBelow[];
  /** Its run as it goes on; null before its agent is known, and for one that has committed nothing. */
  run: (RestoredRun & { readonly prompt: Message; readonly record: RunRecord }) | null;
};

/** What a run had in its background when the process ended. */
export type LeftInBackground = {
  readonly places: readonly TaskPlace[];
  /** `isNoticed`: its conversation was told, in short. */
  readonly unread: readonly (UnreadEnd & { readonly isNoticed: boolean })[];
};
