// Owns one line of the results file and the row of the table that represents it. Pure.
import { noUsage } from '../base/outcome.ts';
import type { Outcome } from '../index.ts';
import type { BadLine } from './open-job.ts';
import { oneLine } from './text.ts';
import { plural } from './units.ts';

/** The fields of a record beside its outcome. */
export type RecordHead = {
  /** The file its task came from, as it was given; null of a goal alone and of what an agent delegated. */
  readonly input: string | null;
  /** Its line in a file of tasks, from 1. */
  readonly line: number | null;
  /** The one file it is about. */
  readonly file?: string;
  readonly goal: string;
  /** The task that delegated it. */
  readonly parentTaskId: string | null;
};

/** An outcome, what it is about, and whether its token counts are the provider's. */
export type ResultRecord = RecordHead &
  Outcome & {
    readonly isEstimated: boolean;
  };

export type ResultRow = {
  readonly label: string;
  readonly status: Outcome['status'];
  readonly turns: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** What there is to say beside the figures; empty of what completed. */
  readonly remark: string;
};

/** `isEstimated`: no provider counted the tokens. */
export function recordOf(
  { input, line, file, goal, parentTaskId }: RecordHead,
  outcome: Outcome,
  isEstimated: boolean,
): ResultRecord {
  return {
    input,
    line,
    ...(file === undefined ? {} : { file }),
    goal,
    parentTaskId,
    ...outcome,
    isEstimated,
  };
}

/** What a line that is no task came to: it has called nothing. */
export function outcomeOfBadLine({ code, message }: BadLine): Outcome {
  return {
    status: 'failed',
    exitReason: 'rejected',
    text: '',
    lastText: '',
    error: { code, message, retryable: false },
    usage: { own: noUsage, subtree: noUsage },
    turns: 0,
    toolCalls: 0,
    filesTouched: [],
    durationMs: 0,
    model: '',
    metadata: {},
    agent: { id: '', name: '', path: '', depth: 0, parentId: null },
    taskId: '',
    index: 0,
  };
}

export function rowOf({ label }: { readonly label: string }, outcome: Outcome): ResultRow {
  const { status, turns, toolCalls, durationMs, usage } = outcome;
  const { inputTokens, outputTokens } = usage.subtree;
  const tokens = inputTokens + outputTokens;
  return { label, status, turns, toolCalls, tokens, durationMs, remark: remarkOf(outcome) };
}

/** Partial work, if any, else why it ended. */
function remarkOf(outcome: Outcome): string {
  const { status, partial } = outcome;
  if (status === 'completed') return '';
  const work = partialWork(partial);
  if (status === 'interrupted') return work ?? 'not started';
  const why = whyEnded(outcome);
  return work === null ? why : `${why}; ${work}`;
}

/** Code and message of its error, on one line; without one, its exit reason. */
export function whyEnded({ error, exitReason }: Outcome): string {
  return error === undefined ? exitReason : `${error.code}: ${oneLine(error.message)}`;
}

function partialWork(partial: Outcome['partial']): string | null {
  if (partial === undefined || partial.phase === 'queued') return null;
  const { turns, toolTrace, text } = partial;
  if (toolTrace.length === 0 && text === '') return 'partial: nothing yet';
  const parts = [
    plural(turns, 'turn'),
    ...(toolTrace.length > 0 ? [plural(toolTrace.length, 'tool call')] : []),
    ...(text.length > 0 ? [plural(text.length, 'character')] : []),
  ];
  return `partial: ${parts.join(', ')}`;
}
