// What a cell promises to hosts that take their time, as threads do.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#src/actor/envelope.js';
import type { ActorHost, HostedCell } from '#src/actor/host.js';
import { failure } from '#src/base/failures.js';
import { reacting, testKernel } from '../support/kernel.ts';

/** A host that only notes what it is asked to do. */
function hosted() {
  const on = testKernel({
    observer: {
      unresponsive: () => asked.push('reported unresponsive'),
      gone: () => asked.push('reported gone'),
    },
  });
  const asked: string[] = [];
  let last: HostedCell | null = null;
  const host: ActorHost = {
    start: () => void asked.push('start'),
    wake: () => void asked.push('wake'),
    interrupt: (reason) => void asked.push(`interrupt ${reason}`),
    stop: (reason) => void asked.push(`stop ${reason}`),
    kill: () => void asked.push('kill'),
    passivate: () => undefined,
    takeBack: () => void asked.push('take back'),
    control: (message) => void asked.push(`control ${message}`),
  };
  const launch = (cell: HostedCell) => {
    last = cell;
    return host;
  };
  const cell = on.kernel.spawnCell(launch, { restart: 'permanent' });
  const ref = on.kernel.refOf(cell);
  return { on, asked, cell, ref, launch, activation: () => last as unknown as HostedCell };
}

const messages = (taken: readonly (Envelope | null)[]) => taken.map((one) => one?.message ?? null);

describe('a kill whose host stays', () => {
  it('settles at the exit of the host, never earlier (S7)', async () => {
    const { on, ref, activation } = hosted();
    activation().started();
    const stages: string[] = [];

    const killed = ref.kill().then((receipts) => stages.push(...receipts.map((r) => r.stage)));
    await on.clock.advance(9_999);
    expect(stages).toEqual([]);
    activation().activationEnded({ reason: 'killed' }, 'not_started');
    await killed;

    expect(stages).toEqual(['not_started']);
    expect(on.clock.pending).toBe(0);
  });

  it('wedges the actor after 10 s: refs are dead, and the exit is reported when it comes (S7)', async () => {
    const { on, asked, ref, activation } = hosted();
    activation().started();
    ref.tell('in hand');
    ref.tell('queued');
    expect(messages([activation().take()])).toEqual(['in hand']);
    const exits: string[] = [];
    ref.watch((exit) => exits.push(exit.reason));

    const killed = ref.kill();
    await on.clock.advance(10_000);
    ref.tell('late');

    expect(await killed).toMatchObject([{ stage: 'unresponsive', elapsedMs: 10_000 }]);
    expect(exits).toEqual(['unresponsive']);
    expect(on.letters.map(({ reason }) => reason)).toEqual(['stopped', 'stopped', 'terminated']);
    activation().activationEnded({ reason: 'killed' }, 'started');
    expect(asked.slice(-2)).toEqual(['reported unresponsive', 'reported gone']);
  });

  it('stops the children of a unresponsive actor (V5)', async () => {
    const { on, ref, activation } = hosted();
    activation().started();
    const child = on.kernel.spawnInline(
      reacting(() => null),
      { parent: ref, name: 'child' },
    );
    const exits: string[] = [];
    child.watch((exit) => exits.push(exit.reason));

    on.kernel.tree.node(ref.id)?.cell.kill('crashed');
    await on.clock.advance(10_000);

    expect(exits).toEqual(['parent_exit']);
  });
});

describe('mail that was handed over', () => {
  it('comes back to the head of the mailbox, in its order, when it was not started (M4)', async () => {
    const { on, cell, ref, activation } = hosted();
    activation().started();
    for (const at of [1, 2, 3, 4]) ref.tell(at);
    messages([activation().take(), activation().take(), activation().take()]);

    activation().acknowledge('processed');
    activation().returned(2);

    expect(on.kernel.ledger()).toMatchObject({ processed: 1, pending: 3 });
    const again = [activation().take(), activation().take(), activation().take()];
    expect(messages(again)).toEqual([2, 3, 4]);
    cell.kill('killed');
    activation().activationEnded({ reason: 'killed' }, 'not_started');
  });

  it('is in doubt when it was started, and goes back when it was not, as the activation ends (M4)', async () => {
    const { on, cell, ref, activation } = hosted();
    activation().started();
    for (const at of [1, 2, 3]) ref.tell(at);
    messages([activation().take(), activation().take()]);
    const crash = { reason: 'crashed', failure: failure('crashed', 'boom') } as const;

    activation().activationEnded(crash, 'started');
    await on.clock.advance(200);
    activation().started();

    expect(on.letters).toMatchObject([{ reason: 'in_doubt', envelopeId: 1 }]);
    expect(messages([activation().take(), activation().take(), activation().take()])).toEqual([
      2,
      3,
      null,
    ]);
    cell.kill('killed');
    activation().activationEnded({ reason: 'killed' }, 'not_started');
  });

  it('is asked back when the tree freezes, and nothing more is handed over (S4)', async () => {
    const { on, asked, ref, activation } = hosted();
    activation().started();
    for (const at of [1, 2]) ref.tell(at);
    messages([activation().take(), activation().take()]);
    asked.length = 0;

    const receipts = ref.interrupt({ reason: 'enough' });
    expect(asked).toEqual(['take back', 'interrupt enough']);
    activation().returned(1);
    expect(activation().take()).toBeNull();
    activation().acknowledge('interrupted');

    expect(await receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect(messages([activation().take()])).toEqual([2]);
    activation().acknowledge('processed');
    const stopped = ref.stop();
    activation().activationEnded({ reason: 'normal' }, 'not_started');
    await stopped;
    expect(on.kernel.ledger()).toMatchObject({ processed: 2 });
  });
});

describe('a parked life', () => {
  it('goes on in the next one, with the receive in hand (V7)', async () => {
    const { cell, ref, activation, launch } = hosted();
    activation().started();
    ref.tell('in hand');
    messages([activation().take()]);

    activation().parked();
    expect(cell.state.status).toBe('parked');
    cell.activate(launch);
    activation().started();

    expect(cell.incarnation).toBe(2);
    expect(messages([activation().take()])).toEqual(['in hand']);
    cell.kill('killed');
    activation().activationEnded({ reason: 'killed' }, 'not_started');
  });

  it('has begun, also while no activation has taken it up again (S4)', async () => {
    const { cell, ref, activation, launch } = hosted();
    activation().started();
    ref.tell('in hand');
    messages([activation().take()]);
    activation().parked();
    cell.activate(launch);

    const [receipt] = await ref.interrupt({ reason: 'enough' });

    expect(receipt?.stage).toBe('interrupted');
    cell.kill('killed');
    activation().activationEnded({ reason: 'killed' }, 'not_started');
  });

  it('reports stopped, not what an earlier receive did (S4)', async () => {
    const { ref, activation } = hosted();
    activation().started();
    for (const at of [1, 2]) ref.tell(at);
    messages([activation().take()]);
    activation().acknowledge('processed');
    messages([activation().take()]);
    activation().parked();

    const [receipt] = await ref.stop();

    expect(receipt?.stage).toBe('stopped');
  });
});
