// Checks the ledger of rule V10: waiting, refusing, order, and no overdraft over random histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetLedger, type Reservation } from '#src/models/budget/budget-ledger.js';
import type { Budget, Spend } from '#src/protocol/budget.js';
import { rejection } from '../support.ts';

const never = new AbortController();

function asks(tokens: number, budget: Budget, agentId = 'a') {
  const bounds: [Spend] = [{ turns: 1, tokens, costUsd: 0 }];
  return { tree: 't', agentId, budget, bounds };
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
