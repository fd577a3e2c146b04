// Keeps the ledger: random programs on inline actors, whatever they do to each other (L1, M3, V5).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Terminated } from '#src/actor/exit.js';
import { Ledger, ledgerFault } from '#src/actor/ledger.js';
import type { ActorRef } from '#src/actor/ref.js';
import { TestProbe } from '#src/actor/test-probe.js';
import { testKernel } from '../support/kernel.ts';
import { type Order, puppet, type Received } from '../support/puppet.ts';

const who = fc.nat({ max: 5 });
const ms = fc.constantFrom(1, 50, 200, 2_000);
const plainOrder = fc.constantFrom(
  ...([
    'note',
    'note',
    'note',
    'reply',
    'stash',
    'unstash',
    'crash',
    'wait',
    'hang',
    'end',
    'nap',
  ] as const),
);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('spawn' as const),
      parent: fc.option(who),
      restart: fc.constantFrom('permanent', 'transient', 'temporary'),
      strategy: fc.constantFrom('one_for_one', 'one_for_all', 'rest_for_one'),
      scope: fc.constantFrom('run', 'session'),
      linked: fc.boolean(),
      maxMessages: fc.constantFrom(1, 3, 100),
      overflow: fc.constantFrom('reject', 'drop_newest', 'drop_oldest'),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ type: fc.constant('tell' as const), to: who, order: plainOrder }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pass' as const), by: who, to: who }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('let ask' as const), by: who, to: who, ms }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('ask' as const), to: who, ms }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('offer' as const), to: who, ms }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('interrupt' as const),
      to: who,
      scope: fc.constantFrom('run', 'agent', 'subtree'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('stop' as const, 'kill' as const, 'pause' as const, 'resume' as const),
      to: who,
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('advance' as const), ms }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

// Long ones: what goes wrong takes a few actors and what they still have to do.
const programs = fc.array(step, { minLength: 10, maxLength: 100, size: 'max' });

/** One run of a random program; `perform` is checked after every step. */
class Program {
  readonly on = testKernel({ graces: { interruptGraceMs: 50, stopGraceMs: 50 } });
  readonly notes: Received[] = [];
  readonly probe = new TestProbe(this.on.clock);
  readonly refs: ActorRef<Order>[] = [];
  readonly exits = new Map<string, number>();
  promises = 0;
  settled = 0;
  #number = 0;
  readonly #watcher = this.on.kernel.spawnInline(this.probe.behavior);

  async perform(one: Step): Promise<void> {
    if (one.type === 'spawn') this.#spawn(one);
    else if (one.type === 'advance') await this.on.clock.advance(one.ms);
    else this.#toActor(one);
  }

  /** Ends every actor but the watcher, with time for their ladders. */
  async end(): Promise<void> {
    for (const ref of this.refs) this.#follow(ref.stop());
    await this.on.clock.advance(60_000);
  }

  terminated(): readonly string[] {
    return this.probe.received.map((notice) => (notice as Terminated).actor.id);
  }

  #spawn(one: Extract<Step, { type: 'spawn' }>): void {
    const { type: _type, parent, maxMessages, overflow, ...options } = one;
    const above = parent === null ? undefined : this.refs[parent % Math.max(this.refs.length, 1)];
    try {
      const ref = this.on.kernel.spawnInline<Order>(puppet(this.notes), {
        ...options,
        ...(above && { parent: above }),
        mailbox: { maxMessages, overflow },
      });
      this.refs.push(ref);
      this.on.kernel.router.watch(this.#watcher.address, ref.address);
      ref.watch(() => this.exits.set(ref.id, (this.exits.get(ref.id) ?? 0) + 1));
    } catch (error) {
      // The parent has ended or is being interrupted: nothing was spawned.
      expect(['actor_terminated', 'interrupting']).toContain((error as { code: string }).code);
    }
  }

  #toActor(one: Exclude<Step, { type: 'spawn' | 'advance' }>): void {
    // Mostly of those alive; 5 may be anybody, also the dead.
    const living = this.refs.filter(({ id }) => this.on.kernel.tree.node(id) !== undefined);
    const of = (at: number) => {
      const among = at === 5 ? this.refs : living;
      return among[at % Math.max(among.length, 1)];
    };
    const target = of('to' in one ? one.to : 0);
    if (target === undefined) return;
    this.#number += 1;
    const order: Order = { do: 'note', number: this.#number };
    switch (one.type) {
      case 'tell':
        target.tell(one.order === 'note' ? order : { do: one.order });
        break;
      case 'pass':
        of(one.by)?.tell({ do: 'pass', to: target.address, number: this.#number });
        break;
      case 'let ask':
        of(one.by)?.tell({ do: 'ask', to: target.address, timeoutMs: one.ms });
        break;
      case 'ask':
        this.#follow(target.ask({ do: 'reply' }, { timeoutMs: one.ms }));
        break;
      case 'offer':
        this.#follow(target.offer(order, { timeoutMs: one.ms }));
        break;
      case 'interrupt':
        this.#follow(target.interrupt({ scope: one.scope }));
        break;
      case 'stop':
      case 'kill':
        this.#follow(target[one.type]());
        break;
      case 'pause':
      case 'resume':
        target[one.type]();
        break;
    }
  }

  #follow(promise: Promise<unknown>): void {
    this.promises += 1;
    const settle = (): void => {
      this.settled += 1;
    };
    promise.then(settle, settle);
  }
}

describe('the ledger', () => {
  it('and V5 hold at every step of every program, and nothing is left in the end (L1, M3)', async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (steps) => {
        const program = new Program();
        const { kernel } = program.on;
        for (const one of steps) {
          await program.perform(one);
          expect(ledgerFault(kernel.ledger())).toBeNull();
        }
        await program.end();

        expect(ledgerFault(kernel.ledger())).toBeNull();
        expect(kernel.ledger().pending).toBe(0);
        expect(program.settled).toBe(program.promises);

        const ids = program.refs.map(({ id }) => id);
        expect([...program.terminated()].sort()).toEqual([...ids].sort());
        expect(ids.map((id) => program.exits.get(id))).toEqual(ids.map(() => 1));

        const last = new Map<string, number>();
        for (const { at, from, number } of program.notes) {
          const pair = `${from} to ${at}`;
          expect(number).toBeGreaterThan(last.get(pair) ?? 0);
          last.set(pair, number);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('ledgerFault', () => {
  const counts = { offered: 5, refused: 1, accepted: 4, processed: 2, deadLettered: 1 };

  it.each([
    { change: {}, fault: null },
    { change: { offered: 6 }, fault: 'offered 6 is not accepted 4 + refused 1' },
    {
      change: { processed: 3 },
      fault: 'accepted 4 is not processed 3 + dead-lettered 1 + pending 1',
    },
  ])('says $fault after $change (L1)', ({ change, fault }) => {
    const ledger: Ledger = Object.assign(new Ledger(), counts, change);

    expect(ledgerFault(ledger.snapshot(1))).toBe(fault);
  });
});
