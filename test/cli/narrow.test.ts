// Checks every line that a terminal shows of a job at every width: it fits, and its status and its time are whole.
import { describe, expect, test } from 'vitest';
import { liveFrame } from '#src/cli/live-frame.js';
import { plainPaint } from '#src/cli/paint.js';
import { endLine } from '#src/cli/plain-lines.js';
import { noRows, rank, tableLines } from '#src/cli/result-table.js';
import { widthOf } from '#src/cli/text.js';
import type { Outcome, TreeSnapshot } from '#src/index.js';
import { emptyTally } from '#src/observe/tally.js';

const goals = [
  'Read',
  `Summarise ${'every chapter of '.repeat(20)}the book`,
  '日本語の文書を要約してください'.repeat(5),
  '👩‍👩‍👧‍👦🏳️‍🌈 family '.repeat(12),
  'e\u0301tude '.repeat(40),
];
const statuses = ['completed', 'failed', 'timeout', 'interrupted'] as const;
const times = [
  [12, '12 ms'],
  [1_234, '1.23 s'],
  [3_599_000, '59m 59s'],
  [359_999_000, '99h 59m'],
] as const;
const widths = [...Array.from({ length: 41 }, (_, at) => at + 20), 72, 80, 93, 100, 120, 200];

function outcomeOf(status: Outcome['status'], durationMs: number): Outcome {
  const count = { inputTokens: 123_456, outputTokens: 7_890 };
  const error = { code: 'max_turns', message: 'because '.repeat(30) };
  const figures = { turns: 12, toolCalls: 1_234, durationMs, exitReason: 'goal', text: '' };
  // What a row is made of; the rest of an outcome is not on the screen.
  return {
    taskId: 't',
    status,
    ...figures,
    usage: { own: count, subtree: count },
    ...(status === 'completed' ? {} : { error }),
  } as unknown as Outcome;
}

function agentOf(goal: string, elapsedMs: number, more: Partial<TreeSnapshot>): TreeSnapshot {
  return {
    agentId: 'a',
    taskId: goal,
    parentId: null,
    name: 'agent',
    path: '/a',
    depth: 0,
    status: 'waiting',
    phase: 'waiting_for_child',
    waitingMs: 0,
    isAnswering: false,
    goal,
    model: 'offline',
    turn: 12,
    tool: null,
    elapsedMs,
    usage: {
      inputTokens: 123_456,
      outputTokens: 7_890,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      modelCalls: 1,
      costUsd: 0,
    },
    children: [],
    ...more,
  };
}

/** Lines that are too wide, or that lack a text that must be whole. */
function faults(lines: readonly string[], width: number, texts: readonly string[]) {
  return lines.filter(
    (line) => widthOf(line) > width || texts.some((text) => !line.includes(text)),
  );
}

describe.each(times)('a time of %d ms', (ms, time) => {
  test('the line of an end', () => {
    const bad = widths.flatMap((columns) =>
      goals.flatMap((goal) =>
        statuses.flatMap((status) =>
          faults([endLine(goal, outcomeOf(status, ms), columns - 1, plainPaint)], columns - 1, [
            status,
            time,
          ]),
        ),
      ),
    );

    expect(bad).toEqual([]);
  });

  test('the rows of the table', () => {
    const bad = widths.flatMap((columns) =>
      statuses.flatMap((status) => {
        const rows = goals.map((label) => {
          const figures = { turns: 12, toolCalls: 1_234, tokens: 123_456, durationMs: ms };
          return { label, status, ...figures, remark: 'because '.repeat(30) };
        });
        const [head = '', ...lines] = tableLines(
          rows.reduce(rank, noRows),
          columns - 1,
          plainPaint,
        );
        const badRows = faults(lines, columns - 1, [status, time]);
        return [...badRows, ...faults([head], columns - 1, ['status', 'time'])];
      }),
    );

    expect(bad).toEqual([]);
  });

  test('the agents of the live tree', () => {
    const child = agentOf('child', ms, {
      status: 'running',
      phase: 'in_tool',
      tool: 'x'.repeat(90),
    });
    const tree = goals.map((goal) => agentOf(goal, ms, { children: [child] }));
    const facts = {
      tally: emptyTally,
      total: 10,
      perSecond: 0,
      elapsedMs: ms,
      isStopping: false,
      tick: 0,
      tree,
    };
    const bad = widths.flatMap((columns) => {
      const frame = { ...facts, labelOf: (taskId: string) => taskId };
      const lines = liveFrame(frame, { columns, rows: 100 }, plainPaint).slice(1, -1);
      const waiting = lines.filter((_, at) => at % 2 === 0);
      const running = lines.filter((_, at) => at % 2 === 1);
      return [
        ...faults(waiting, columns - 1, ['waiting', time]),
        ...faults(running, columns - 1, [time]),
        ...running.filter((line) => !/running|xxxxx/.test(line)),
      ];
    });

    expect(bad).toEqual([]);
  });

  test.each([false, true])('the head of the live tree, stopping: %s', (isStopping) => {
    const tally = {
      ...emptyTally,
      ended: { completed: 12_345, failed: 678, interrupted: 9, timeout: 1 },
      below: { completed: 12, failed: 0, interrupted: 0, timeout: 0 },
      inputTokens: 123_456_789,
      costUsd: 1_234.5,
      isEstimated: true,
    };
    const facts = {
      tally,
      total: 54_321,
      perSecond: 3.5,
      elapsedMs: ms,
      isStopping,
      tick: 3,
      tree: [],
    };
    const bad = widths.flatMap((columns) => {
      const frame = { ...facts, labelOf: () => null };
      const [head = '', ends = ''] = liveFrame(frame, { columns, rows: 24 }, plainPaint);
      const status = isStopping ? 'stopping' : 'running';
      return [...faults([head], columns - 1, [status, time]), ...faults([ends], columns - 1, [])];
    });

    expect(bad).toEqual([]);
  });
});

test('a long goal gives way before the figures do, and these before the status and the time', () => {
  const goal = 'Summarise every chapter of the book';
  const outcome = outcomeOf('completed', 1_234);
  const at = (width: number) => endLine(goal, outcome, width, plainPaint);

  expect([110, 90, 60, 40, 24, 19].map(at)).toEqual([
    `✓ ${goal}  completed  12 turns  1,234 tool calls  131k tokens  1.23 s`,
    '✓ …e every chapter of the book  completed  12 turns  1,234 tool calls  131k tokens  1.23 s',
    '✓ …every chapter of the book  completed  131k tokens  1.23 s',
    '✓ …hapter of the book  completed  1.23 s',
    '✓ …ok  completed  1.23 s',
    '✓ completed  1.23 s',
  ]);
});
