// Owns the result of `delegate_task`: an entry per task, in input order and one shape, within a size limit (C7, C8).
import type { Outcome, ToolTrace } from '../../base/outcome.ts';
import { headAndTail, type KeepText } from '../../tools/output.ts';
import { traceIn } from './trace.ts';

export type EnvelopeOptions = {
  readonly maxChars: number;
  readonly warnings: readonly string[];
  /** Milliseconds of the whole call, waits for capacity included. */
  readonly elapsedMs: number;
  /** Keeps a summary that has to be cut where the caller can read it, and answers where; null when it cannot. */
  readonly keep: KeepText;
};

/**
 * The JSON text of a call's result: always whole JSON, and no longer than it may be, unless an entry per task with nothing
 * in it is.
 */
export function envelopeOf(outcomes: readonly Outcome[], options: EnvelopeOptions): string {
  const { maxChars, warnings, elapsedMs, keep } = options;
  const summaries = outcomes.map(({ text }) => text);
  const write = (entryOf: EntryOf, texts: readonly string[]): string => {
    const remarks = entryOf === fullEntry ? warnings : fewOf(warnings, fewWarnings);
    return JSON.stringify({
      results: outcomes.map((outcome, at) => entryWith(entryOf(outcome), outcome, texts[at] ?? '')),
      total_duration_ms: Math.round(elapsedMs),
      ...(remarks.length === 0 ? {} : { warnings: remarks }),
    });
  };
  const whole = write(fullEntry, summaries);
  if (whole.length <= maxChars) return whole;
  const isFullPossible = write(fullEntry, []).length <= maxChars / 2;
  // A failure can be as long as what a provider answered with, and JSON makes six characters of some.
  const maxMessage = Math.floor(maxChars / 8 / outcomes.length);
  const entryOf: EntryOf = isFullPossible ? fullEntry : (each) => shortEntry(each, maxMessage);
  const kept = summaries.map((text) => (text.length > shortest ? keep(text) : null));
  let available = Math.max(0, maxChars - write(entryOf, []).length);
  // What JSON adds to a text shows only once it is written.
  for (;;) {
    const shares = sharesOf(summaries, available);
    const cut = summaries.map((text, at) => headAndTail(text, shares[at] ?? 0, kept[at] ?? null));
    const text = write(entryOf, cut);
    if (text.length <= maxChars || available === 0) return text;
    available = Math.floor(available * 0.75);
  }
}

type EntryOf = (outcome: Outcome) => object;

/** Number of warnings where space is short. */
const fewWarnings = 3;

function fewOf(texts: readonly string[], max: number): readonly string[] {
  if (texts.length <= max) return texts;
  return [...texts.slice(0, max), `and ${texts.length - max} more`];
}

/** A summary of this length is not worth a file. */
const shortest = 200;

/** Characters for each text: equal shares, and what the short texts leave goes to the long ones. */
export function sharesOf(texts: readonly string[], available: number): readonly number[] {
  const shares = texts.map(() => 0);
  const order = texts.map((text, at) => ({ at, length: text.length }));
  order.sort((a, b) => a.length - b.length);
  let left = available;
  for (const [done, { at, length }] of order.entries()) {
    const share = Math.min(length, Math.floor(left / (order.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

/** Text cut off by an interrupt is no summary (C33): the entry has it as partial work. */
function entryWith(entry: object, { status, partial }: Outcome, text: string): object {
  if (status !== 'interrupted') return { ...entry, summary: text };
  if (partial === undefined || text === '') return { ...entry, summary: '' };
  const { turns, phase } = partial;
  return { ...entry, partial: { text, turns, phase }, summary: '' };
}

function shortEntry(
  { index, status, exitReason, error, diagnosticFile }: Outcome,
  maxMessage = Infinity,
): object {
  return {
    task_index: index,
    status,
    exit_reason: exitReason,
    ...(error === undefined
      ? {}
      : { error: { code: error.code, message: headAndTail(error.message, maxMessage, null) } }),
    // The file's path is short, and needed most in the entry that has the least space (C23).
    ...(diagnosticFile === undefined ? {} : { diagnostic_file: diagnosticFile }),
  };
}

/** What a child costs its caller's conversation beside what it found: its summary, its answer, the files it touched. */
const maxEntryChars = 199;

/** Files of a child that are named. */
const maxFiles = 20;

function fullEntry(outcome: Outcome): object {
  const { structured, emitted, partial, error, usage, filesTouched, toolTrace = [] } = outcome;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage.subtree;
  const entry = {
    ...shortEntry(outcome),
    turns: outcome.turns,
    tool_calls: outcome.toolCalls,
    duration_ms: Math.round(outcome.durationMs),
    tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
  };
  const available =
    maxEntryChars - JSON.stringify({ ...entry, tool_trace: [], summary: '' }).length;
  const trace = outcome.status === 'completed' ? traceIn(toolTrace, available) : [];
  return {
    ...entry,
    ...(error === undefined ? {} : { error }),
    ...(trace.length === 0 ? {} : { tool_trace: trace }),
    ...(filesTouched.length === 0 ? {} : { files_touched: fewOf(filesTouched, maxFiles) }),
    ...(structured === undefined ? {} : { structured }),
    ...(emitted === undefined ? {} : { emitted }),
    ...(partial === undefined || outcome.status === 'interrupted'
      ? {}
      : {
          partial: {
            turns: partial.turns,
            phase: partial.phase,
            tool_trace: toolTrace.map(traceEntry),
          },
        }),
  };
}

/** Of a child that failed each call by itself: which one went wrong is what its caller asks. */
function traceEntry({ name, turn, status, durationMs }: ToolTrace): object {
  return { name, turn, status, ...(durationMs === undefined ? {} : { duration_ms: durationMs }) };
}
