// Checks the result of `delegate_task` as JSON: its fields, what an interrupt drops, and how it is cut to the caller's room.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeOf, sharesOf } from '#src/dialects/delegate-task/envelope.js';
import type { Outcome } from '#src/index.js';

const usage = {
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  modelCalls: 5,
  costUsd: null,
};

function outcome(changes: Partial<Outcome> = {}): Outcome {
  return {
    status: 'completed',
    exitReason: 'goal',
    text: 'the summary',
    lastText: 'the summary',
    usage: { own: usage, subtree: usage },
    turns: 2,
    toolCalls: 3,
    filesTouched: ['a.txt'],
    durationMs: 12.4,
    model: 'offline',
    metadata: { ticket: 7 },
    agent: { id: 'a1', name: 'subagent', path: '/a', depth: 1, parentId: null },
    taskId: 't1',
    index: 0,
    ...changes,
  };
}

const wide = { maxChars: 1_000_000, warnings: [], elapsedMs: 0, keep: () => null };

describe('envelopeOf', () => {
  it('stays within its room whatever a failure says, and is whole JSON (C8, C13)', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 20_000 });
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), texts, (messages, text) => {
        const outcomes = messages.map((message, index) => {
          const error = { code: 'crashed' as const, message, retryable: false };
          return outcome({ index, status: 'failed', exitReason: 'crashed', error, text });
        });
        const warnings = messages.map((_, at) => `warning ${at}`);

        const written = envelopeOf(outcomes, { ...wide, maxChars: 8_000, warnings });

        expect(written.length).toBeLessThanOrEqual(8_000);
        expect(JSON.parse(written).results).toHaveLength(messages.length);
      }),
      { numRuns: 30 },
    );
  });

  it('says what a caller can use, in the words of the tool (C8)', () => {
    const partial = {
      text: 'half',
      toolTrace: [{ callId: 'c', name: 'read', turn: 1, status: 'failed' as const }],
      turns: 1,
      phase: 'in_tool' as const,
    };
    const error = { code: 'max_turns' as const, message: 'too many', retryable: false };
    const failed = outcome({
      toolTrace: partial.toolTrace,
      status: 'failed',
      exitReason: 'max_turns',
      partial,
      error,
      index: 1,
      structured: { a: 1 },
      emitted: { b: '2' },
    });

    const { results } = JSON.parse(envelopeOf([outcome(), failed], wide));

    expect(results[0]).toEqual({
      task_index: 0,
      status: 'completed',
      exit_reason: 'goal',
      summary: 'the summary',
      turns: 2,
      tool_calls: 3,
      files_touched: ['a.txt'],
      duration_ms: 12,
      tokens: 10,
    });
    expect(results[1]).toMatchObject({
      task_index: 1,
      exit_reason: 'max_turns',
      error,
      structured: { a: 1 },
      emitted: { b: '2' },
      partial: {
        turns: 1,
        phase: 'in_tool',
        tool_trace: [{ name: 'read', turn: 1, status: 'failed' }],
      },
    });
  });

  it.each([
    ['there is room', wide.maxChars],
    ['there is little', 400],
  ])('says where the diagnosis of a timeout is when %s (C23)', (_when, maxChars) => {
    const error = { code: 'idle_timeout' as const, message: 'x'.repeat(500), retryable: false };
    const diagnosticFile = '/logs/subagent-timeout-a1-t1.log';
    const late = outcome({ status: 'timeout', exitReason: 'idle_timeout', error, diagnosticFile });

    const { results } = JSON.parse(envelopeOf([late], { ...wide, maxChars }));

    expect(results[0]).toMatchObject({ status: 'timeout', diagnostic_file: diagnosticFile });
    expect('turns' in results[0]).toBe(maxChars === wide.maxChars);
  });

  it('gives an interrupted child no summary; what it had is its partial work (C33, S9)', () => {
    const partial = { text: 'half', toolTrace: [], turns: 1, phase: 'in_tool' as const };
    const cut = outcome({
      status: 'interrupted',
      exitReason: 'interrupted',
      text: 'half',
      partial,
    });

    const { results } = JSON.parse(envelopeOf([cut], wide));

    expect(results[0]).toMatchObject({ status: 'interrupted', exit_reason: 'interrupted' });
    expect(results[0]).toMatchObject({ summary: '', partial: { text: 'half', turns: 1 } });
  });

  it('cuts long summaries to the room, keeps them in files and says where; short ones stay whole', () => {
    const kept: string[] = [];
    const long = `${'x'.repeat(20_000)}${'y'.repeat(10_000)}`;
    const text = envelopeOf([outcome({ text: long }), outcome({ text: 'short', index: 1 })], {
      maxChars: 5_000,
      warnings: ['mind'],
      elapsedMs: 12.4,
      keep: (summary) => {
        kept.push(summary);
        return 'out/0.txt';
      },
    });

    const { results, warnings } = JSON.parse(text);

    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(results[0].summary).toMatch(
      /^x+… \[cut: 30,000 characters in all, \d+ to \d+ left out; the full text is in out\/0\.txt\] …y+$/,
    );
    expect(results[1].summary).toBe('short');
    expect(warnings).toEqual(['mind']);
    expect(kept).toEqual([long]);
  });

  it('is whole JSON with an entry per task, in order, whatever the room (C8)', () => {
    const texts = fc.array(fc.string({ maxLength: 3_000, unit: 'grapheme' }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 4_000, max: 60_000 }), (all, maxChars) => {
        const outcomes = all.map((text, index) => outcome({ text, index }));
        const text = envelopeOf(outcomes, { ...wide, maxChars });

        expect(text.length).toBeLessThanOrEqual(maxChars);
        const { results } = JSON.parse(text);
        expect(results.map((entry: { task_index: number }) => entry.task_index)).toEqual([
          ...all.keys(),
        ]);
      }),
    );
  });

  it('shares the space so that no text is cut while another leaves some unused', () => {
    expect(sharesOf(['a'.repeat(10), 'b'.repeat(100), 'c'.repeat(100)], 110)).toEqual([10, 50, 50]);
    expect(sharesOf(['a', 'b'], 100)).toEqual([1, 1]);
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(500), (texts, available) => {
        const shares = sharesOf(texts, available);
        const total = shares.reduce((sum, share) => sum + share, 0);
        expect(total).toBeLessThanOrEqual(available);
        expect(shares.every((share, at) => share <= (texts[at]?.length ?? 0))).toBe(true);
      }),
    );
  });
});
