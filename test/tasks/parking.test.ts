// Checks what a parked run continues from: the calls that had begun, once each of them has ended (W3, V7).
import { describe, expect, it } from 'vitest';
import { noProgress } from '#src/agent/required-outputs.js';
import { RunRecord } from '#src/agent/run-record.js';
import type { Failure } from '#src/base/failures.js';
import type { ToolResultBlock } from '#src/protocol/history.js';
import { Parking } from '#src/tasks/parking.js';
import type { Run } from '#src/tasks/run.js';

const result = (id: string): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: `result of ${id}`,
});

/** A run that called these in one response and was parked when `begun` of them had begun. */
function parked(
  calls: readonly string[],
  begun: number,
  inHand: { thread?: readonly string[]; host?: readonly string[]; open?: readonly string[] },
) {
  const content = calls.map((id) => ({ type: 'tool_use' as const, id, name: 'any', input: {} }));
  const record = new RunRecord([{ role: 'assistant', content }]);
  const onHost = new Map((inHand.host ?? []).map((id) => [id, result(id)]));
  const isOpen = (id: string): boolean => inHand.open?.includes(id) === true;
  const ends: string[] = [];
  // Only what parking reaches for is there.
  const agent = {
    record,
    task: { id: 't1' },
    cause: null,
    endFor: (_exitReason: string, { code }: Failure) => ends.push(code),
    hostTools: { results: onHost, isOpen },
  } as unknown as Run;
  const parking = new Parking();
  const results = (inHand.thread ?? []).map(result);
  parking.onRunEvent(agent, { type: 'run_parked', turn: 1, begun, results, progress: noProgress });
  return {
    point: parking.resumePoint(agent)?.results.map(({ tool_use_id: id }) => id) ?? null,
    answered: parking.resumePoint(agent)?.answered ?? null,
    goesOn: parking.goesOn(agent),
    ends,
  };
}

describe('a parked run', () => {
  it.each([
    ['waits for a call that is open', parked(['a', 'b'], 2, { host: ['a'], open: ['b'] }), null],
    ['goes on with the last answer', parked(['a', 'b'], 2, { host: ['b', 'a'] }), ['a', 'b']],
    [
      'keeps what its thread had',
      parked(['a', 'b'], 2, { thread: ['b'], host: ['a'] }),
      ['a', 'b'],
    ],
    ['waits for no call that has not begun', parked(['a', 'b', 'c'], 1, { host: ['a'] }), ['a']],
  ])('%s (W3, V7)', (_what, { point, goesOn, ends }, expected) => {
    expect([point, goesOn, ends]).toEqual([expected, expected !== null, []]);
  });

  it('tells hooks only of what came while it was parked (V7)', () => {
    expect(parked(['a', 'b'], 2, { thread: ['b'], host: ['a'] }).answered).toEqual(['a']);
  });

  it('waits for no call that nobody performs: it goes on, to end as an internal fault (W3)', () => {
    const { point, goesOn, ends } = parked(['a', 'b'], 2, { host: ['a'] });

    expect([goesOn, ends]).toEqual([true, ['internal']]);
    expect(point).toEqual(['a', 'b']);
    const waits = parked(['a', 'b', 'c'], 3, { host: ['a'], open: ['c'] });
    expect([waits.goesOn, waits.ends]).toEqual([false, []]);
  });
});
