// Checks the pure decision of rule V10 as a table.
import { describe, expect, it } from 'vitest';
import {
  type Account,
  charge,
  decideReservation,
  newlyNear,
  reserve,
} from '#src/models/budget/budget.js';
import type { Budget, Spend } from '#src/protocol/budget.js';

function account(limits: Budget, state: Partial<Account> = {}): Account {
  return {
    scope: 'tree',
    limits,
    spent: spend({ turns: 0 }),
    reserved: spend({ turns: 0 }),
    open: 0,
    ...state,
  };
}

function spend(part: Partial<Spend>): Spend {
  return { turns: 1, tokens: 0, costUsd: 0, ...part };
}

it('a call that cannot be priced afterwards is charged what was reserved for it (V10)', () => {
  const bound = spend({ costUsd: 0.5 });
  const open = reserve(account({ maxCostUsd: 1 }), bound);

  expect(charge(open, bound, spend({ costUsd: null })).spent.costUsd).toBe(0.5);
});

describe('a reservation (V10)', () => {
  const bounds = [spend({ tokens: 80 }), spend({ tokens: 20 })];

  it.each<[string, readonly Account[], object]>([
    ['is granted without limits', [account({})], { type: 'granted', index: 0 }],
    [
      'is granted at exactly the limit',
      [account({ maxTokens: 100 }, { spent: spend({ tokens: 20 }) })],
      { type: 'granted', index: 0 },
    ],
    [
      'waits while an open call could give room back',
      [account({ maxTokens: 100 }, { reserved: spend({ tokens: 80 }), open: 1 })],
      { type: 'wait' },
    ],
    [
      'shrinks when nobody could give room back',
      [account({ maxTokens: 100 }, { spent: spend({ tokens: 80 }) })],
      { type: 'granted', index: 1 },
    ],
    [
      'is refused when nothing fits and nothing is open',
      [account({ maxTokens: 100 }, { spent: spend({ tokens: 90 }) })],
      { type: 'refused', code: 'budget_tokens' },
    ],
    [
      'is refused at once for the budget of its own agent, whatever its tree waits for',
      [
        account({ maxTurns: 3 }, { spent: spend({ turns: 3 }) }),
        account({ maxTokens: 100 }, { reserved: spend({ tokens: 80 }), open: 1 }),
      ],
      { type: 'refused', code: 'max_turns' },
    ],
    [
      'is refused for its cost',
      [account({ maxCostUsd: 1 }, { spent: spend({ costUsd: 1.01 }) })],
      { type: 'refused', code: 'budget_cost' },
    ],
  ])('%s', (_, accounts, verdict) => {
    expect(decideReservation(accounts, bounds)).toMatchObject(verdict);
  });

  it('is refused for a cost budget when no price is known', () => {
    expect(decideReservation([account({ maxCostUsd: 1 })], [spend({ costUsd: null })])).toEqual({
      type: 'refused',
      code: 'budget_cost',
      scope: 'tree',
      limit: 'maxCostUsd',
      message: expect.stringContaining('no price is known for the model, so maxCostUsd 1 cannot'),
    });
  });

  it('says what is taken and what was asked', () => {
    const half = account({ maxTokens: 100 }, { spent: spend({ tokens: 90 }) });

    expect(decideReservation([half], [spend({ tokens: 20 })])).toMatchObject({
      message: 'the next call may take 20 tokens, 90 of 100 of the tree are taken',
    });
  });
});

describe('a budget that is nearly used up (V10)', () => {
  const limits = { maxTokens: 100, maxTurns: 10, maxCostUsd: 1 };
  const spent = (part: Partial<Spend>) => account(limits, { spent: spend({ turns: 0, ...part }) });

  it.each<[string, Partial<Spend>, Partial<Spend>, readonly string[]]>([
    ['below four fifths', { tokens: 10 }, { tokens: 79 }, []],
    ['at four fifths', { tokens: 79 }, { tokens: 80 }, ['maxTokens']],
    [
      'in one leap',
      {},
      { tokens: 120, turns: 9, costUsd: 2 },
      ['maxTurns', 'maxTokens', 'maxCostUsd'],
    ],
    ['a second time', { tokens: 80 }, { tokens: 99 }, []],
    ['by a price that nobody knows', {}, { costUsd: null }, []],
  ])('is said once, %s', (_name, before, after, expected) => {
    const near = newlyNear(spent(before), spent(after));

    expect(near.map(({ limit }) => limit)).toEqual(expected);
  });

  it('says what was used and what there is', () => {
    expect(newlyNear(spent({}), spent({ tokens: 90 }))).toEqual([
      { scope: 'tree', limit: 'maxTokens', used: 90, max: 100 },
    ]);
    expect(newlyNear(account({}), account({}, { spent: spend({ tokens: 9 }) }))).toEqual([]);
  });
});
