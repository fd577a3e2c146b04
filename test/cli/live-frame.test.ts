// Checks the live tree as frames: what it shows of a moment, and that it fits every terminal.
import { describe, expect, test } from 'vitest';
import { type FrameFacts, liveFrame } from '#src/cli/live-frame.js';
import { colourPaint, plainPaint } from '#src/cli/paint.js';
import { rowsOf, Screen } from '#src/cli/screen.js';
import { widthOf } from '#src/cli/text.js';
import type { TreeSnapshot } from '#src/index.js';
import { emptyTally } from '#src/observe/tally.js';

const usage = {
  inputTokens: 1_200,
  outputTokens: 34,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  modelCalls: 1,
  costUsd: 0,
};

function node(taskId: string, more: Partial<TreeSnapshot> = {}): TreeSnapshot {
  return {
    agentId: `agent of ${taskId}`,
    taskId,
    parentId: null,
    name: 'agent',
    path: `/${taskId}`,
    depth: 0,
    status: 'running',
    phase: 'waiting_for_model',
    waitingMs: 0,
    isAnswering: false,
    goal: 'Look',
    model: 'offline',
    turn: 2,
    tool: null,
    elapsedMs: 1_234,
    usage,
    children: [],
    ...more,
  };
}

function facts(more: Partial<FrameFacts> = {}): FrameFacts {
  return {
    tree: [node('a.ts'), node('b.ts', { phase: 'in_tool', tool: 'read' })],
    tally: {
      ...emptyTally,
      queued: 3,
      running: 2,
      ended: { completed: 4, failed: 1, interrupted: 0, timeout: 0 },
      inputTokens: 12_000,
      isEstimated: true,
    },
    total: 10,
    elapsedMs: 2_500,
    perSecond: 2,
    isStopping: false,
    tick: 0,
    labelOf: (taskId) => taskId,
    ...more,
  };
}

const wide = { columns: 100, rows: 24 };

test('shows how far the job is, each agent, and the ends as counts', () => {
  expect(liveFrame(facts(), wide, plainPaint)).toEqual([
    '⠋ running  ████████████░░░░░░░░░░░░  5/10 50%  2.50 s  ~2.50 s left  2.0 tasks/s  ~12k tokens',
    '  a.ts                              turn 2   waiting for the provider   1.23 s  1.2k tok',
    '  b.ts                              turn 2   read                       1.23 s  1.2k tok',
    '✓ 4 completed  ✗ 1 failed  3 queued',
  ]);
});

test('hangs children below their parent', () => {
  const tree = [
    node('root', {
      phase: 'waiting_for_child',
      children: [node('one', { children: [node('deep')] }), node('two', { status: 'ready' })],
    }),
  ];

  const lines = liveFrame(facts({ tree }), wide, plainPaint).slice(1, -1);

  expect(lines.map((line) => line.slice(2, 34).trimEnd())).toEqual([
    'root',
    '├─ one',
    '│  └─ deep',
    '└─ two',
  ]);
  expect(lines[0]).toContain('waiting for its children');
  expect(lines[3]).toContain('ready');
});

test('says that it is stopping', () => {
  const [head] = liveFrame(facts({ isStopping: true }), wide, plainPaint);

  expect(head).toBe(
    `⠋ stopping  ${'█'.repeat(12)}${'░'.repeat(12)}  5/10 50%  2.50 s  2.0 tasks/s  ~12k tokens`,
  );
});

test.each([
  [
    'nothing has ended',
    { completed: 0, failed: 0 },
    0.5,
    10,
    '0/10 0%  2.50 s  ~12k tokens  $0.50',
  ],
  [
    'all has ended',
    { completed: 9, failed: 1 },
    null,
    10,
    '10/10 100%  2.50 s  4.0 tasks/s  ~12k tokens',
  ],
  ['there is one task', { completed: 0, failed: 0 }, 0, 1, '2.50 s  ~12k tokens'],
  [
    'money is spent',
    { completed: 8, failed: 0 },
    0.012,
    10,
    '8/10 80%  2.50 s  ~625 ms left  3.2 tasks/s  ~12k tokens  $0.0120',
  ],
])('says what is left and what it cost when %s', (_when, ended, costUsd, total, expected) => {
  const tally = { ...facts().tally, ended: { ...emptyTally.ended, ...ended }, costUsd };
  const perSecond = (ended.completed + ended.failed) / 2.5;
  const [head] = liveFrame(facts({ tally, total, perSecond }), wide, plainPaint);

  expect(head?.replace(/^⠋ running {2}([█░]+ {2})?/, '')).toBe(expected);
});

test('counts what one task has delegated so far, at any depth', () => {
  const below = { completed: 2, failed: 1, interrupted: 0, timeout: 0 };
  const tally = { ...emptyTally, running: 1, delegated: 6, below };
  const [head] = liveFrame(facts({ tally, total: 1, perSecond: 0.5 }), wide, plainPaint);

  expect(head).toBe(
    `⠋ running  ${'█'.repeat(12)}${'░'.repeat(12)}  3/6 subtasks  2.50 s  30 subtasks/min  0 tokens`,
  );
});

describe.each([
  [1, 1],
  [20, 3],
  [40, 5],
  [80, 24],
  [200, 60],
])('on a terminal of %d columns and %d rows', (columns, rows) => {
  const tree = Array.from({ length: 50 }, (_, index) =>
    node(`${'folder/'.repeat(index)}日本 ${index}`, { phase: 'in_tool', tool: 't'.repeat(index) }),
  );
  const lines = liveFrame(facts({ tree }), { columns, rows }, plainPaint);

  test('no line wraps', () => {
    // Below twenty columns nothing of use can be shown.
    const max = Math.max(19, columns - 1);
    expect(lines.filter((line) => widthOf(line) > max)).toEqual([]);
  });

  test('no line is beyond the last row, and what is left out is counted', () => {
    expect(lines.length).toBeLessThan(Math.max(4, rows));
    if (rows > 4 && rows < 50) expect(lines.at(-2)).toMatch(/… \d+ more/);
  });
});

test('colours take no room', () => {
  const plain = liveFrame(facts(), wide, plainPaint);
  const coloured = liveFrame(facts(), wide, colourPaint);

  expect(coloured).not.toEqual(plain);
  expect(rowsOf(coloured, 100)).toBe(rowsOf(plain, 100));
});

test('draws over what it drew, also where it wrapped meanwhile, and gives the cursor back', () => {
  const written: string[] = [];
  let columns = 80;
  const screen = new Screen({
    keepsCursor: false,
    write: (text) => written.push(text),
    size: () => ({ columns, rows: 24 }),
  });

  screen.draw(['one', 'a line of twenty-two..']);
  columns = 10;
  screen.draw(['two']);
  screen.release();
  screen.release();

  const esc = '\u001b';
  expect(written).toEqual([
    `${esc}[?25lone${esc}[K\na line of twenty-two..${esc}[K\n${esc}[J`,
    `${esc}[4A\rtwo${esc}[K\n${esc}[J`,
    `${esc}[1A\r${esc}[J${esc}[?25h`,
  ]);
});
