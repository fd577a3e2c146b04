// Checks the ledger of rule V10: waiting, refusing, order, and no overdraft over random histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetLedger, type Reservation } from '#src/models/budget/budget-ledger.js';
import type { Budget, BudgetAccount, Spend } from '#src/protocol/budget.js';
import { rejection } from '../support.ts';

const never = new AbortController();

/** A call of an agent's run, in a tree. */
function asks(tokens: number, budget: { tree?: Budget; agent?: Budget }, agentId = 'a') {
  const { tree = {}, agent = {} } = budget;
  return calls(tokens, agentId, [
    { id: 't', scope: 'tree', limits: tree },
    { id: `${agentId}/run`, scope: 'agent', limits: agent },
  ]);
}

function calls(tokens: number, agentId: string, accounts: readonly BudgetAccount[]) {
  const bounds: [Spend] = [{ turns: 1, tokens, costUsd: 0 }];
  return { agentId, accounts, bounds };
}

function took(tokens: number): Spend {
  return { turns: 1, tokens, costUsd: 0 };
}

describe('the budget ledger (V10)', () => {
  it('lets a call wait until an open one of its tree settles (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { tree: { maxTokens: 100 } };
    const order: string[] = [];
    const first = await ledger.reserve(asks(80, budget), never);

    const second = ledger.reserve(asks(80, budget, 'b'), never).then(() => order.push('granted'));
    await Promise.resolve();
    order.push('settled');
    first.charge(took(10));
    await second;

    expect(order).toEqual(['settled', 'granted']);
    expect(ledger.spent('t')).toEqual(took(10));
  });

  it('refuses the waiter when the last open call leaves no room (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { tree: { maxTokens: 100 } };
    const first = await ledger.reserve(asks(80, budget), never);

    const second = rejection(ledger.reserve(asks(80, budget, 'b'), never));
    first.charge(took(80));

    expect(await second).toMatchObject({ code: 'budget_tokens' });
  });

  it('keeps the turns of an agent over several activations in its tree (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { agent: { maxTurns: 1 } };

    (await ledger.reserve(asks(1, budget), never)).charge(took(1));

    expect(await rejection(ledger.reserve(asks(1, budget), never))).toMatchObject({
      code: 'max_turns',
    });
    await ledger.reserve(asks(1, budget, 'another'), never);
  });

  it('serves in order, so that a large call is not starved by small ones (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { tree: { maxTokens: 100 } };
    const order: string[] = [];
    const first = await ledger.reserve(asks(50, budget), never);

    const large = ledger.reserve(asks(90, budget, 'b'), never).then((reservation) => {
      order.push('large');
      reservation.charge(took(1));
    });
    const small = ledger.reserve(asks(10, budget, 'c'), never).then(() => order.push('small'));
    first.charge(took(1));
    await Promise.all([large, small]);

    expect(order).toEqual(['large', 'small']);
  });

  it('lets those behind an aborted waiter go ahead (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { tree: { maxTokens: 100 } };
    const controller = new AbortController();
    await ledger.reserve(asks(50, budget), never);

    const large = rejection(ledger.reserve(asks(90, budget, 'b'), controller));
    const small = ledger.reserve(asks(10, budget, 'c'), never);
    controller.abort();

    expect(await large).toMatchObject({ code: 'aborted' });
    expect((await small).index).toBe(0);
  });

  it('counts a settlement once (V10)', async () => {
    const ledger = new BudgetLedger();
    const reservation = await ledger.reserve(asks(5, {}), never);

    reservation.charge(took(5));
    reservation.charge(took(5));

    expect(ledger.spent('t')).toEqual(took(5));
  });

  it('refuses who waits for a tree that is forgotten (V10)', async () => {
    const ledger = new BudgetLedger();
    const budget = { tree: { maxTokens: 10 } };
    await ledger.reserve(asks(10, budget), never);

    const waiter = rejection(ledger.reserve(asks(10, budget, 'b'), never));
    ledger.forget('t');

    expect(await waiter).toMatchObject({ code: 'activation_ended' });
    expect(ledger.spent('t')).toBeNull();
  });
});

describe('budgets of a job, its trees and their tasks (V10)', () => {
  const job = { id: 'j', scope: 'job', limits: { maxTokens: 100 } } as const;
  const tree = (id: string, limits: Budget = {}): BudgetAccount => ({ id, scope: 'tree', limits });
  const task = (id: string, limits: Budget): BudgetAccount => ({ id, scope: 'task', limits });

  it('count every call in all accounts that it is under (V10)', async () => {
    const ledger = new BudgetLedger();

    (await ledger.reserve(calls(60, 'a', [job, tree('t1')]), never)).charge(took(60));
    const refused = rejection(ledger.reserve(calls(60, 'b', [job, tree('t2')]), never));

    expect(await refused).toMatchObject({
      code: 'budget_tokens',
      message: 'the next call may take 60 tokens, 60 of 100 of the job are taken',
      detail: { scope: 'job', limit: 'maxTokens' },
    });
    expect([ledger.spent('t1'), ledger.spent('j')]).toEqual([took(60), took(60)]);
  });

  it('let a call pass those that wait for what it does not need (V10)', async () => {
    const ledger = new BudgetLedger();
    const small = { maxTokens: 10 };
    const open = await ledger.reserve(calls(10, 'a', [job, tree('t1', small)]), never);
    const waiting = ledger.reserve(calls(10, 'b', [job, tree('t1', small)]), never);

    const other = await ledger.reserve(calls(10, 'c', [job, tree('t2', small)]), never);

    expect(other.index).toBe(0);
    open.charge(took(0));
    expect((await waiting).index).toBe(0);
  });

  it('keep a large call of one tree ahead of small ones of another, for what both need (V10)', async () => {
    const ledger = new BudgetLedger();
    const order: string[] = [];
    const open = await ledger.reserve(calls(50, 'a', [job, tree('t1')]), never);

    const large = ledger.reserve(calls(90, 'b', [job, tree('t2')]), never).then((granted) => {
      order.push('large');
      granted.charge(took(1));
    });
    const small = ledger
      .reserve(calls(10, 'c', [job, tree('t3')]), never)
      .then(() => order.push('small'));
    open.charge(took(1));
    await Promise.all([large, small]);

    expect(order).toEqual(['large', 'small']);
  });

  it('charge the job for a call whose tree has ended (V10)', async () => {
    const ledger = new BudgetLedger();
    ledger.keep('j');
    const open = await ledger.reserve(calls(10, 'a', [job, tree('t1'), task('k', {})]), never);
    const waiting = rejection(
      ledger.reserve(calls(95, 'b', [job, tree('t1'), task('k', {})]), never),
    );

    ledger.forget('t1');
    open.charge(took(7));

    expect(await waiting).toMatchObject({ code: 'activation_ended' });
    expect([ledger.spent('j'), ledger.spent('t1'), ledger.spent('k')]).toEqual([
      took(7),
      null,
      null,
    ]);
  });

  it('forget a job that is closed with its last tree, and no earlier (V10)', async () => {
    const ledger = new BudgetLedger();
    ledger.keep('j');
    for (const id of ['t1', 't2']) {
      (await ledger.reserve(calls(1, id, [job, tree(id)]), never)).charge(took(1));
    }
    const seen = () => ledger.spent('j')?.tokens ?? null;

    ledger.forget('t1');
    const open = seen();
    ledger.release('j');
    const closed = seen();
    ledger.forget('t2');

    expect([open, closed, seen()]).toEqual([2, 2, null]);
  });

  it('name what is nearly used up to models that are to be told (V10)', async () => {
    const ledger = new BudgetLedger();
    const warned = task('k', { maxTokens: 50, warnModel: true });
    const accounts = [{ ...job, limits: { maxTokens: 45 } }, tree('t1'), warned];
    const first = await ledger.reserve(calls(5, 'a', accounts), never);
    first.charge(took(40));

    const second = await ledger.reserve(calls(5, 'a', accounts), never);

    expect([first.near, second.near]).toEqual([
      [],
      [{ scope: 'task', limit: 'maxTokens', used: 40, max: 50 }],
    ]);
  });
});

describe('for every order of calls, settlements and aborts (V10)', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('reserve' as const), tokens: fc.integer({ min: 1, max: 60 }) }),
    fc.record({
      type: fc.constant('settle' as const),
      at: fc.nat(20),
      share: fc.integer({ min: 0, max: 100 }),
    }),
    fc.record({ type: fc.constant('abort' as const), at: fc.nat(20) }),
  );

  it('settled and reserved never exceed the budget, and no waiter is lost (V10)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(150), async (steps, maxTokens) => {
        const ledger = new BudgetLedger();
        const open: { reservation: Reservation; tokens: number }[] = [];
        const controllers: AbortController[] = [];
        const calls: Promise<string>[] = [];
        let charged = 0;

        const charge = (at: number, share: number): void => {
          const [call] = open.splice(at % Math.max(open.length, 1), 1);
          if (call === undefined) return;
          const actual = Math.floor((call.tokens * share) / 100);
          charged += actual;
          call.reservation.charge(took(actual));
        };
        const check = (): void => {
          const reserved = open.reduce((sum, call) => sum + call.tokens, 0);
          expect(charged + reserved).toBeLessThanOrEqual(maxTokens);
        };

        for (const [index, next] of steps.entries()) {
          if (next.type === 'reserve') {
            const controller = new AbortController();
            controllers.push(controller);
            const { tokens } = next;
            const asked = asks(tokens, { tree: { maxTokens } }, `agent-${index}`);
            calls.push(
              ledger.reserve(asked, controller).then(
                (reservation) => {
                  open.push({ reservation, tokens });
                  return 'granted';
                },
                (error) => error.code,
              ),
            );
          } else if (next.type === 'settle') charge(next.at, next.share);
          else controllers[next.at % Math.max(controllers.length, 1)]?.abort();
          await new Promise((resolve) => setImmediate(resolve));
          check();
        }
        while (open.length > 0) {
          charge(0, 100);
          await new Promise((resolve) => setImmediate(resolve));
          check();
        }

        for (const end of await Promise.all(calls)) {
          expect(['granted', 'budget_tokens', 'aborted']).toContain(end);
        }
      }),
      { numRuns: 100 },
    );
  });
});
