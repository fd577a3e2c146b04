// Checks the way to the one ledger: the same verdicts from afar, and what becomes of it when the far end is lost.
import { describe, expect, it } from 'vitest';
import { BudgetLedger } from '#src/models/budget/budget-ledger.js';
import { BudgetClient, BudgetServer } from '#src/models/budget/budget-server.js';
import type { ReservationRequest } from '#src/protocol/budget-messages.js';
import { untilIdle } from '../gateway-support.ts';
import { rejection } from '../support.ts';

function arrange() {
  const ledger = new BudgetLedger();
  const remote = new BudgetClient((command) => router.receive(structuredClone(command)));
  const router: BudgetServer = new BudgetServer(ledger, (event) => remote.receive(event));
  return { ledger, remote, router };
}

const never = { signal: new AbortController().signal };
const spend = (tokens: number) => ({ turns: 1, tokens, costUsd: 0 });
const asks = (tokens: number): ReservationRequest => ({
  agentId: `a-${tokens}`,
  accounts: [{ id: 'tree-1', scope: 'tree', limits: { maxTokens: 1_000 } }],
  bounds: [spend(tokens)],
});

describe('one ledger for two gateways (V10)', () => {
  it('counts a call of the host and a call of the thread in one tree (V10)', async () => {
    const { ledger, remote } = arrange();
    const host = await ledger.reserve(asks(600), never);
    const far = remote.reserve(asks(500), never);
    let isGranted = false;
    void far.then(() => {
      isGranted = true;
    });
    await untilIdle();
    expect(isGranted).toBe(false);

    host.charge(spend(300));
    (await far).charge(spend(500));

    expect(ledger.spent('tree-1')).toEqual({ turns: 2, tokens: 800, costUsd: 0 });
    const refused = await rejection(remote.reserve(asks(201), never));
    expect(refused).toMatchObject({ code: 'budget_tokens' });
  });

  it('settles once, whatever is said later (V10)', async () => {
    const { ledger, remote } = arrange();
    const reservation = await remote.reserve(asks(100), never);

    reservation.charge(spend(10));
    reservation.charge(spend(90));

    expect(ledger.spent('tree-1')).toMatchObject({ tokens: 10 });
  });

  it('an abort while it waits, and one that meets its grant, give the room back', async () => {
    const { ledger, remote } = arrange();
    const reservation = await remote.reserve(asks(600), never);
    const [waits, meets, late] = [0, 1, 2].map(() => new AbortController());
    const waiting = rejection(remote.reserve(asks(500), waits!));
    const meeting = rejection(remote.reserve(asks(400), meets!));
    meets!.abort();
    waits!.abort();
    late!.abort();

    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(await meeting).toMatchObject({ code: 'aborted' });
    expect(await rejection(remote.reserve(asks(1), late!))).toMatchObject({ code: 'aborted' });
    reservation.charge(spend(0));
    await untilIdle();
    await (await remote.reserve(asks(1_000), never)).charge(spend(1_000));
    expect(ledger.spent('tree-1')).toMatchObject({ tokens: 1_000 });
  });

  it('a lost thread has its open calls booked in full, and no turn of them (V10)', async () => {
    const { ledger, remote, router } = arrange();
    await remote.reserve(asks(600), never);
    void remote.reserve(asks(500), never);
    await untilIdle();

    router.loseAll();
    await untilIdle();

    expect(ledger.spent('tree-1')).toEqual({ turns: 0, tokens: 600, costUsd: 0 });
    (await ledger.reserve(asks(400), never)).charge(spend(400));
  });
});
