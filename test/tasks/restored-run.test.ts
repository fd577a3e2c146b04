// Checks what a run goes on with after its process ended: which calls keep their results, are made again, or are unknown.
import { expect, it } from 'vitest';
import { RunRecord } from '#src/agent/run/record.js';
import type { StoredCommit } from '#src/journal/records.js';
import { restoreRun } from '#src/tasks/journal/restored-run.js';
import { type RunEntry, RunLog, readLog } from '#src/tasks/journal/run-entry.js';

const usage = {
  inputTokens: 2,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  modelCalls: 1,
  costUsd: 0,
};

const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} }) as const;

const response = (...calls: readonly ReturnType<typeof call>[]): RunEntry => ({
  type: 'model_response',
  turn: 1,
  message: { role: 'assistant', content: [{ type: 'text', text: 'let me see' }, ...calls] },
  model: 'm',
  stopReason: 'tool_use',
  state: { turn: 1 },
});

const started = (callId: string, name: string): RunEntry => ({
  type: 'tool_started',
  turn: 1,
  callId,
  name,
  where: 'thread',
  inputPreview: '{}',
});

const block = (id: string) =>
  ({ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }) as const;

const completed = (callId: string, name: string): RunEntry => ({
  type: 'tool_completed',
  callId,
  name,
  isError: false,
  resultPreview: 'a',
  result: block(callId),
});

const tools = [
  { name: 'pay', isIdempotent: false, tags: [] },
  { name: 'look', isIdempotent: true, tags: [] },
  { name: 'hand_on', isIdempotent: false, tags: ['delegation'] },
];

/** The log as it is written, and read again. */
const logOf = (entries: readonly RunEntry[]) => {
  const log = new RunLog();
  log.begin(1_000);
  const commits = entries.map((entry, at): StoredCommit => {
    const { seq, row } = log.next(entry, at === 0 ? usage : null);
    return { seq, body: JSON.stringify(row), at: 2_000 + at };
  });
  return readLog(commits);
};

const restored = (...entries: readonly RunEntry[]) => {
  const record = new RunRecord([{ role: 'user', content: [{ type: 'text', text: 'go' }] }]);
  const run = restoreRun(record, logOf(entries), tools);
  return { record, run };
};

const both = response(call('c1', 'pay'), call('c2', 'look'));

it.each([
  ['before its tools began', [both], [], []],
  ['with one that may be called twice', [both, started('c2', 'look')], ['look'], []],
  ['with one that may not', [both, started('c1', 'pay')], [], ['pay']],
  [
    'with a result, and one that was on',
    [both, started('c1', 'pay'), started('c2', 'look'), completed('c1', 'pay')],
    ['look'],
    [],
  ],
  [
    'while it delegated',
    [response(call('c1', 'hand_on')), started('c1', 'hand_on')],
    ['hand_on'],
    [],
  ],
  [
    'while a person was asked',
    [both, started('c1', 'pay'), { type: 'approval_asked', callId: 'c1' } as const],
    [],
    [],
  ],
  [
    'after a person let it run',
    [
      both,
      started('c1', 'pay'),
      { type: 'approval_asked', callId: 'c1' } as const,
      { type: 'approval_given', callId: 'c1' } as const,
    ],
    [],
    ['pay'],
  ],
])('a run that ended %s (J2)', (_when, entries, repeated, unknown) => {
  const { record, run } = restored(...entries);

  expect(run).toMatchObject({ repeated, unknown });
  expect(record.isParked).toBe(true);
  expect(record.turns).toBe(1);
  expect(record.openCalls.size).toBe(0);
  expect(record.usage).toEqual(usage);
});

it('the model is told that a result is unknown, and gets the results that are there (J2)', () => {
  const { record } = restored(
    both,
    started('c1', 'pay'),
    started('c2', 'look'),
    completed('c2', 'look'),
  );

  expect(record.parkedCalls).toMatchObject([
    {
      step: 'done',
      block: {
        tool_use_id: 'c1',
        is_error: true,
        content: expect.stringContaining('whether it took effect is unknown'),
      },
    },
    { step: 'done', block: block('c2') },
  ]);
  expect(record.lastCalls).toMatchObject([
    { callId: 'c2', status: 'completed' },
    { callId: 'c1', status: 'failed' },
  ]);
});

it('a run that has all results of its turn goes on with the next (J2)', () => {
  const results: RunEntry = {
    type: 'tool_results',
    turn: 1,
    message: { role: 'user', content: [block('c1'), block('c2')] },
    state: { turn: 1 },
  };

  const { record, run } = restored(both, started('c1', 'pay'), started('c2', 'look'), results);

  expect(run).toMatchObject({ repeated: [], unknown: [] });
  expect(record.callsOfTurn).toEqual([]);
  expect(record.messages).toHaveLength(3);
  expect(record.lastCalls).toMatchObject([
    { callId: 'c1', status: 'completed' },
    { callId: 'c2', status: 'completed' },
  ]);
});

it('what an attempt before has committed is not the run’s', () => {
  const outcome = { usage: { own: usage } } as never;

  const log = logOf([both, { type: 'attempt_failed', attempts: 1, outcome }]);

  expect(log).toMatchObject({
    earlier: { attempts: 1, usage },
    beganAt: null,
    entries: [],
    seq: 2,
  });
});

it('an answer by schema is kept, and so is the request to end', () => {
  const { run } = restored(
    both,
    { type: 'answered', value: { sum: 3 } },
    { type: 'interrupted', reason: 'enough' },
  );

  expect(run).toMatchObject({ answer: { value: { sum: 3 } }, interrupted: 'enough' });
});

it('what was reserved for a model call is in doubt until its response, or what it took, is there (J5)', () => {
  const bound = { turns: 1, tokens: 100, costUsd: null };
  const reserved: RunEntry = { type: 'reserved', bound };
  const lost: RunEntry = { type: 'reservation_lost', bound };
  const inDoubt = (...entries: readonly RunEntry[]) => {
    const { run } = restored(...entries);
    return [run.reserved, run.lost.length];
  };

  expect(inDoubt(reserved)).toEqual([bound, 0]);
  expect(inDoubt(reserved, response())).toEqual([null, 0]);
  expect(inDoubt(reserved, { type: 'spent' })).toEqual([null, 0]);
  expect(inDoubt(reserved, lost)).toEqual([null, 1]);
  expect(inDoubt(reserved, lost, reserved, lost, reserved)).toEqual([bound, 2]);
  expect(inDoubt(reserved, lost, reserved, response(), reserved)).toEqual([bound, 1]);
});
