// Checks what a parked run continues from: the calls that had begun, once each of them has ended (W3, V7).
import { describe, expect, it } from 'vitest';
import { RunRecord } from '#src/agent/run/record.js';
import type { Failure } from '#src/base/failures.js';
import type { ToolResult, ToolResultBlock } from '#src/protocol/history.js';
import type { SavedCall } from '#src/protocol/saved-run.js';
import { CallAnswers } from '#src/tasks/call-answers.js';
import { goesOn, isLeft, resumePoint } from '#src/tasks/parking.js';
import type { Run } from '#src/tasks/state.js';
import { parkedState } from '../support/saved-state.ts';

const result = (id: string): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: `result of ${id}`,
});
const answer = (id: string): ToolResult => ({ content: `result of ${id}`, isError: false });

type InHand = { thread?: readonly string[]; host?: readonly string[]; open?: readonly string[] };

/** A run that called these in one response, and how they stand on the host. */
function runWith(calls: readonly string[], inHand: InHand) {
  const content = calls.map((id) => ({ type: 'tool_use' as const, id, name: 'any', input: {} }));
  const record = new RunRecord([{ role: 'assistant', content }]);
  const answers = new CallAnswers();
  for (const id of inHand.host ?? []) answers.tools.set(id, answer(id));
  const isOpen = (id: string): boolean => inHand.open?.includes(id) === true;
  const ends: string[] = [];
  // Only what parking reaches for is there.
  const run = {
    record,
    task: { id: 't1' },
    cause: null,
    endFor: (_exitReason: string, { code }: Failure) => ends.push(code),
    agent: {},
    thread: { hasLeft: true, failedCall: null },
    answers,
    calls: { isOpen: (_kind: string, id: string) => isOpen(id) },
  } as unknown as Run;
  return { run, ends };
}

/** The same, parked when `begun` of the calls had begun. */
function parked(calls: readonly string[], begun: number, inHand: InHand) {
  const { run, ends } = runWith(calls, inHand);
  const states = calls.map((id, place): SavedCall => {
    const isDone = inHand.thread?.includes(id) === true;
    const step = place >= begun ? 'waiting' : isDone ? 'done' : 'running';
    return { step, isNoticed: false, block: isDone ? result(id) : null };
  });
  run.record.apply({ type: 'run_parked', state: parkedState(states), known: 0, isAsked: true });
  return {
    point:
      resumePoint(run)?.answers.map((each) => ('place' in each ? calls[each.place ?? -1] : '')) ??
      null,
    kept: run.record.parkedCalls.flatMap(({ block }) => block?.tool_use_id ?? []),
    goesOn: goesOn(run),
    ends,
  };
}

describe('a parked run', () => {
  it.each([
    ['waits for a call that is open', parked(['a', 'b'], 2, { host: ['a'], open: ['b'] }), null],
    ['goes on with the last answer', parked(['a', 'b'], 2, { host: ['b', 'a'] }), ['a', 'b']],
    ['keeps what its thread had', parked(['a', 'b'], 2, { thread: ['b'], host: ['a'] }), ['a']],
    ['waits for no call that has not begun', parked(['a', 'b', 'c'], 1, { host: ['a'] }), ['a']],
  ])('%s (W3, V7)', (_what, { point, goesOn, ends }, expected) => {
    expect([point, goesOn, ends]).toEqual([expected, expected !== null, []]);
  });

  it('keeps the results that its thread had, should it never continue (S9, V7)', () => {
    expect(parked(['a', 'b'], 2, { thread: ['b'], host: ['a'] }).kept).toEqual(['b']);
  });

  it('is one whose thread has left a state for every call; another is a fault of that thread (W3, V1)', () => {
    const one: SavedCall = { step: 'running', isNoticed: false, block: null };
    const isLeftWith = (states: readonly SavedCall[]): boolean => {
      const { run } = runWith(['a', 'b'], { open: ['a', 'b'] });
      run.record.apply({ type: 'run_parked', state: parkedState(states), known: 0, isAsked: true });
      return isLeft(run.record);
    };

    expect(isLeft(runWith(['a'], { open: ['a'] }).run.record)).toBe(false);
    expect([isLeftWith([one]), isLeftWith([one, one])]).toEqual([false, true]);
  });

  it('does not wait for a call that is not performed: it goes on, to end as an internal fault (W3)', () => {
    const { point, goesOn, ends } = parked(['a', 'b'], 2, { host: ['a'] });

    expect([goesOn, ends]).toEqual([true, ['internal']]);
    expect(point).toEqual(['a', 'b']);
    const waits = parked(['a', 'b', 'c'], 3, { host: ['a'], open: ['c'] });
    expect([waits.goesOn, waits.ends]).toEqual([false, []]);
  });
});
