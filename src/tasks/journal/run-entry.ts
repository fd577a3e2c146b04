// Owns what the journal has of a run: what it committed, and what its calls came to, one entry each. Pure.

import type { Outcome, Usage } from '../../base/outcome.ts';
import type { JournalRecord, StoredCommit } from '../../journal/records.ts';
import type { Spend } from '../../protocol/budget.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { EarlierAttempts } from '../retry-task.ts';
import { jsonOf } from './stored-task.ts';

/** Run events that are written down. */
export type WrittenEvent = Extract<
  RunEvent,
  {
    type:
      | 'model_response'
      | 'tool_results'
      | 'prompted'
      | 'steered'
      | 'shortened'
      | 'tool_started'
      | 'tool_completed'
      | 'touched'
      | 'emitted';
  }
>;

export type RunEntry =
  | WrittenEvent
  /** Model calls that have no response took something. */
  | { readonly type: 'spent' }
  /** A model call may take so much: nothing has settled it yet. */
  | { readonly type: 'reserved'; readonly bound: Spend }
  /** The process ended during such a call. */
  | { readonly type: 'reservation_lost'; readonly bound: Spend }
  /** A person is asked whether the tool of a call may run, or has let it. */
  | { readonly type: 'approval_asked' | 'approval_given'; readonly callId: string }
  /** Its output schema has made this of an answer. */
  | { readonly type: 'answered'; readonly value: unknown }
  /** It was interrupted. */
  | { readonly type: 'interrupted'; readonly reason: string }
  /** Its owner has stopped it for a while, or no longer does; also before it has begun. */
  | { readonly type: 'paused' | 'resumed' }
  /** The run has failed, and its task is to be run again. */
  | { readonly type: 'attempt_failed'; readonly attempts: number; readonly outcome: Outcome };

export type Row = {
  /** With the first entry of a run: the calendar's time when it began. */
  readonly beganAt?: number;
  /** What its model calls took since the entry before. */
  readonly spent?: Usage;
  readonly entry: RunEntry;
};

type StoredRecord = Extract<JournalRecord, { readonly type: 'run_committed' }>;

/** What is to be written down. The row of a run becomes a text when it is sent: most tasks end before. */
export type TaskWrite =
  | Exclude<JournalRecord, StoredRecord>
  | (Omit<StoredRecord, 'body'> & { readonly row: Row });

export function storedRecord(write: TaskWrite): JournalRecord {
  if (write.type !== 'run_committed') return write;
  const { row, ...about } = write;
  return { ...about, body: jsonOf(row) };
}

const written: ReadonlySet<RunEvent['type']> = new Set<WrittenEvent['type']>([
  'model_response',
  'tool_results',
  'prompted',
  'steered',
  'shortened',
  'tool_started',
  'tool_completed',
  'touched',
  'emitted',
]);

export function isWritten(event: RunEvent): event is WrittenEvent {
  return written.has(event.type);
}

type TaskEntry = Extract<RunEntry, { readonly type: 'paused' | 'resumed' }>;

/** What is no part of any run. */
function isOfTask(entry: RunEntry): entry is TaskEntry {
  return entry.type === 'paused' || entry.type === 'resumed';
}

/** The entries of a task, numbered over all of its runs. */
export class RunLog {
  #seq: number;
  #beganAt: number | null = null;

  /** `seq` is the number of the last entry; 0 for none. */
  constructor(seq = 0) {
    this.#seq = seq;
  }

  /** A run begins: its first entry says when. */
  begin(wallTime: number): void {
    this.#beganAt = wallTime;
  }

  next(entry: RunEntry, spent: Usage | null): { readonly seq: number; readonly row: Row } {
    this.#seq += 1;
    const beganAt = isOfTask(entry) ? null : this.#beganAt;
    const row: Row = {
      ...(beganAt === null ? {} : { beganAt }),
      ...(spent === null ? {} : { spent }),
      entry,
    };
    if (beganAt !== null) this.#beganAt = null;
    return { seq: this.#seq, row };
  }
}

type ReadEntry = { readonly entry: Exclude<RunEntry, TaskEntry>; readonly spent: Usage | null };

/** What is known of the run that was on when the process ended. */
export type ReadLog = {
  /** The runs before it; null for none. */
  readonly earlier: Omit<EarlierAttempts, 'startedAt'> | null;
  /** Null when it has committed nothing. */
  readonly beganAt: number | null;
  readonly isPaused: boolean;
  /** When it committed last, less the time of its pauses. */
  readonly lastAt: number;
  readonly entries: readonly ReadEntry[];
  readonly seq: number;
};

/** What is read was written by a `RunLog`, and its sums are right. */
export function readLog(commits: readonly StoredCommit[]): ReadLog {
  let earlier: ReadLog['earlier'] = null;
  let beganAt: number | null = null;
  let pausedAt: number | null = null;
  let pausedMs = 0;
  let entries: ReadEntry[] = [];
  for (const { at, body } of commits) {
    const row = JSON.parse(body) as Row;
    const { entry, spent = null } = row;
    if (isOfTask(entry)) {
      if (pausedAt !== null && beganAt !== null) pausedMs += Math.max(0, at - pausedAt);
      pausedAt = entry.type === 'paused' ? at : null;
      continue;
    }
    beganAt = row.beganAt ?? beganAt ?? at;
    if (entry.type === 'attempt_failed') {
      const { attempts, outcome } = entry;
      earlier = { attempts, outcome, usage: outcome.usage.own };
      beganAt = null;
      pausedMs = 0;
      entries = [];
    } else entries.push({ entry, spent });
  }
  const { at: endedAt = 0, seq = 0 } = commits.at(-1) ?? {};
  const isPaused = pausedAt !== null;
  return { earlier, beganAt, isPaused, lastAt: endedAt - pausedMs, entries, seq };
}
