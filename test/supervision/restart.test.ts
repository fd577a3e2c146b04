// Checks the restart table and the reach of strategies (V2).
import { describe, expect, it } from 'vitest';
import { type ExitReason, exitReasons } from '#src/actor/exit.js';
import { affectedBy, shouldRestart } from '#src/supervision/restart.js';

const repaired: Readonly<Record<'permanent' | 'transient' | 'temporary', readonly ExitReason[]>> = {
  permanent: ['normal', 'crashed', 'out_of_memory', 'spawn_failed'],
  transient: ['crashed', 'out_of_memory', 'spawn_failed'],
  temporary: [],
};

describe('shouldRestart', () => {
  const types = ['permanent', 'transient', 'temporary'] as const;
  const rows = types.flatMap((type) =>
    exitReasons.map((reason) => ({ type, reason, expected: repaired[type].includes(reason) })),
  );

  it.each(rows)('answers $expected for a $type child that ended $reason (V2)', (row) => {
    expect(shouldRestart(row.type, row.reason)).toBe(row.expected);
  });
});

describe('affectedBy', () => {
  const children = ['a', 'b', 'c', 'd'];

  it.each([
    { strategy: 'one_for_one', failed: 'b', affected: ['b'] },
    { strategy: 'one_for_all', failed: 'b', affected: ['a', 'b', 'c', 'd'] },
    { strategy: 'rest_for_one', failed: 'a', affected: ['a', 'b', 'c', 'd'] },
    { strategy: 'rest_for_one', failed: 'b', affected: ['b', 'c', 'd'] },
    { strategy: 'rest_for_one', failed: 'd', affected: ['d'] },
    { strategy: 'rest_for_one', failed: 'stranger', affected: ['stranger'] },
  ] as const)('takes $affected along when $failed fails under $strategy (V2)', (row) => {
    expect(affectedBy(row.strategy, children, row.failed)).toEqual(row.affected);
  });
});
