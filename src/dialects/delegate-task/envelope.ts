// Owns the result of `delegate_task`: one entry per task, in input order, in one shape, within the caller's room (C7, C8).
import type { Outcome, Partial, Usage } from '../../outcome.ts';

export type EnvelopeOptions = {
  readonly maxChars: number;
  readonly warnings: readonly string[];
  /** Keeps a summary that has to be cut and answers where; null when it cannot. */
  keep(summary: string, index: number): string | null;
};

/**
 * The JSON text of a call's result: always whole JSON, and no longer than it may be, unless an entry per task with nothing
 * in it is.
 */
export function envelopeOf(outcomes: readonly Outcome[], options: EnvelopeOptions): string {
  const { maxChars, warnings, keep } = options;
  const summaries = outcomes.map(({ text }) => text);
  const write = (entryOf: EntryOf, texts: readonly string[]): string => {
    const remarks = entryOf === fullEntry ? warnings : fewOf(warnings);
    return JSON.stringify({
      results: outcomes.map((outcome, at) => entryWith(entryOf(outcome), outcome, texts[at] ?? '')),
      ...(remarks.length === 0 ? {} : { warnings: remarks }),
    });
  };
  const whole = write(fullEntry, summaries);
  if (whole.length <= maxChars) return whole;
  const isFullPossible = write(fullEntry, []).length <= maxChars / 2;
  // A failure can be as long as what a provider answered with, and JSON makes six characters of some.
  const mostMessage = Math.floor(maxChars / 8 / outcomes.length);
  const entryOf: EntryOf = isFullPossible ? fullEntry : (each) => shortEntry(each, mostMessage);
  const kept = summaries.map((text, at) => (text.length > shortest ? keep(text, at) : null));
  let room = Math.max(0, maxChars - write(entryOf, []).length);
  // What JSON adds to a text shows only once it is written.
  for (;;) {
    const shares = sharesOf(summaries, room);
    const cut = summaries.map((text, at) => cutTo(text, shares[at] ?? 0, kept[at] ?? null));
    const text = write(entryOf, cut);
    if (text.length <= maxChars || room === 0) return text;
    room = Math.floor(room * 0.75);
  }
}

type EntryOf = (outcome: Outcome) => object;

/** Warnings where there is room for little. */
function fewOf(warnings: readonly string[]): readonly string[] {
  const most = 3;
  if (warnings.length <= most) return warnings;
  return [...warnings.slice(0, most), `and ${warnings.length - most} more`];
}

/** A summary of this length is not worth a file. */
const shortest = 200;

/** Room for each: equal shares, and what the short ones leave goes to the long ones. */
export function sharesOf(texts: readonly string[], room: number): readonly number[] {
  const shares = texts.map(() => 0);
  const order = texts.map((text, at) => ({ at, length: text.length }));
  order.sort((a, b) => a.length - b.length);
  let left = room;
  for (const [done, { at, length }] of order.entries()) {
    const share = Math.min(length, Math.floor(left / (order.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

function cutTo(text: string, chars: number, path: string | null): string {
  if (text.length <= chars) return text;
  const where = path === null ? '' : `; the full text is in ${path}`;
  const note = `… [cut, ${text.length} characters in all${where}]`;
  return `${text.slice(0, Math.max(0, chars - note.length))}${note}`;
}

/** What was cut off by an interrupt is no summary (C33): it stands where partial work does. */
function entryWith(entry: object, { status, partial }: Outcome, text: string): object {
  if (status !== 'interrupted') return { ...entry, summary: text };
  const work =
    partial === undefined || text === '' ? {} : { partial: { text, ...workOf(partial) } };
  return { ...entry, ...work, summary: '' };
}

function shortEntry(
  { index, status, exitReason, error, diagnosticFile, agent }: Outcome,
  mostMessage = Infinity,
): object {
  return {
    task_index: index,
    status,
    exit_reason: exitReason,
    ...(error === undefined
      ? {}
      : { error: { code: error.code, message: cutTo(error.message, mostMessage, null) } }),
    // Where to look is short, and what there is room for least of all is said there (C23).
    ...(diagnosticFile === undefined ? {} : { diagnostic_file: diagnosticFile }),
    agent: { path: agent.path },
  };
}

function fullEntry(outcome: Outcome): object {
  const { structured, emitted, partial, error, usage, agent } = outcome;
  return {
    ...shortEntry(outcome),
    ...(error === undefined ? {} : { error }),
    ...(structured === undefined ? {} : { structured }),
    ...(emitted === undefined ? {} : { emitted }),
    ...(partial === undefined || outcome.status === 'interrupted'
      ? {}
      : { partial: { ...workOf(partial), tool_trace: partial.toolTrace } }),
    turns: outcome.turns,
    tool_calls: outcome.toolCalls,
    files_touched: outcome.filesTouched,
    duration_ms: Math.round(outcome.durationMs),
    model: outcome.model,
    usage: { own: usageEntry(usage.own), subtree: usageEntry(usage.subtree) },
    metadata: outcome.metadata,
    task_id: outcome.taskId,
    agent: {
      id: agent.id,
      name: agent.name,
      path: agent.path,
      depth: agent.depth,
      parent_id: agent.parentId,
    },
  };
}

function workOf({ turns, phase }: Partial): object {
  return { turns, phase };
}

function usageEntry(usage: Usage): object {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    model_calls: usage.modelCalls,
    cost_usd: usage.costUsd,
  };
}
