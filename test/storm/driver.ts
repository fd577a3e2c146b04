// Owns one storm: drives actors on threads through a list of operations, calms them down, and checks every promise.
import { expect } from 'vitest';
import { receiptStages } from '#src/actor/ref.js';
import {
  type ActorRef,
  type ActorSystem,
  createActorSystem,
  type InterruptReceipt,
  ledgerFault,
} from '#src/actor.js';
import { fixture, within } from '../support/systems.ts';
import { Auditor } from './auditor.ts';
import type { Operation } from './operations.ts';

const module = fixture('storm-actor');
const timeoutMs = 60_000;
const backoff = { minMs: 1, maxMs: 2, jitter: 0 };

/** One system serves many storms, so that its threads are warm; quick graces, since storms have deaf actors. */
export function stormSystem(): ActorSystem {
  return createActorSystem({
    threads: { max: 8 },
    graces: { interruptGraceMs: 60, stopGraceMs: 60 },
    startTimeoutMs: 600_000,
  });
}

/** Runs the operations; resolves when nothing of them is left, throws what did not hold. */
export async function storm(
  system: ActorSystem,
  terminations: readonly Operation[],
): Promise<void> {
  const run = new Storm(system);
  await run.begin();
  for (const termination of terminations) {
    await run.perform(termination);
    expect(ledgerFault(system.ledger())).toBeNull();
  }
  await run.calm();
  await run.end();
}

class Storm {
  readonly #system: ActorSystem;
  readonly #auditor: Auditor;
  readonly #refs: ActorRef[] = [];
  readonly #parents = new Map<ActorRef, ActorRef>();
  readonly #spawning = new Set<Promise<unknown>>();
  /** Everything that somebody was promised: all of it settles, however it ends. */
  readonly #promised: Promise<unknown>[] = [];
  readonly #receipts: Promise<readonly InterruptReceipt[]>[] = [];
  #n = 0;
  #exits = 0;

  constructor(system: ActorSystem) {
    this.#system = system;
    this.#auditor = new Auditor(system);
  }

  async begin(): Promise<void> {
    await Promise.all([this.#spawn(null, {}), this.#spawn(null, { restart: 'permanent' })]);
  }

  async perform(termination: Operation): Promise<void> {
    switch (termination.op) {
      case 'spawn': {
        const { restart, window, isLinked: linked, isAwaited } = termination;
        const parent = termination.parent === null ? null : this.#ref(termination.parent);
        const spawned = this.#spawn(parent, { restart, window, linked });
        // Eight of them hold all threads, those that have not started yet too: what comes then waits for one of them to end.
        const count = this.#living().length + this.#spawning.size;
        if (isAwaited && count <= 6) await within(spawned, 'a spawn');
        break;
      }
      case 'tell':
        for (let left = termination.count; left > 0; left -= 1)
          this.#ref(termination.to).tell(this.#snapshot());
        break;
      case 'ask':
        this.#promise(this.#ref(termination.to).ask(this.#snapshot(), { timeoutMs }));
        break;
      case 'offer':
        this.#promise(this.#ref(termination.to).offer(this.#snapshot(), { timeoutMs }));
        break;
      case 'slow':
        this.#promise(this.#ref(termination.to).ask({ do: 'slow' }, { timeoutMs }));
        break;
      case 'end':
        this.#ref(termination.to).tell({ do: 'end' });
        break;
      case 'relay': {
        const numbers = Array.from({ length: termination.count }, () => this.#next());
        const { address: to } = this.#ref(termination.to);
        this.#ref(termination.via).tell({ do: 'relay', to, numbers });
        break;
      }
      case 'relayAsk':
      case 'relayOffer': {
        const { address: to } = this.#ref(termination.to);
        const message = { do: termination.op, to, n: this.#next() };
        this.#promise(this.#ref(termination.via).ask(message, { timeoutMs }));
        break;
      }
      case 'child': {
        const { isAwaited } = termination;
        this.#promise(this.#ref(termination.via).ask({ do: 'child', isAwaited }, { timeoutMs }));
        break;
      }
      case 'crash':
      case 'hang':
        this.#ref(termination.to).tell({ do: termination.how });
        break;
      case 'interrupt':
        this.#signal(this.#ref(termination.to).interrupt({ scope: termination.scope }));
        break;
      case 'stop':
      case 'kill':
        this.#signal(this.#ref(termination.to)[termination.op]());
        break;
      case 'pause':
      case 'resume':
        this.#ref(termination.to)[termination.op]();
        break;
      case 'breathe':
        for (let left = termination.turns; left > 0; left -= 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        break;
    }
  }

  /** Ends what hangs until all mail is processed; then whoever lives answers, and no child has lost its parent. */
  async calm(): Promise<void> {
    for (const ref of this.#refs) ref.resume();
    await within(this.#untilIdle(), 'the storm to calm down');
    await this.#auditor.untilIdle();
    for (const [child, parent] of this.#parents) {
      const isOrphan = this.#activations(child) && !this.#activations(parent);
      expect(isOrphan, `${child.path} outlives its parent`).toBe(false);
    }
  }

  /** Ends every actor; everything that was promised is settled then, once. */
  async end(): Promise<void> {
    await within(this.#untilDead(), 'every actor to end');
    await within(Promise.allSettled(this.#promised), 'every promise to settle');
    await this.#auditor.untilIdle();
    this.#auditor.judge();
    expect(this.#exits).toBe(this.#refs.length);
    for (const { address } of this.#refs) expect(this.#system.find(address.id)).toBeNull();
    for (const { path, id } of this.#auditor.born.values()) {
      expect(this.#system.find(id), `${path} is still there`).toBeNull();
    }
    for (const receipts of await within(Promise.all(this.#receipts), 'every receipt')) {
      expect(receipts.length).toBeGreaterThan(0);
      for (const { stage } of receipts) expect(receiptStages).toContain(stage);
    }
    for (const ref of this.#refs.slice(0, 3)) {
      expect(await ref.kill()).toMatchObject([{ stage: 'already_dead' }]);
    }
    await this.#auditor.ref.stop();
    const ledger = this.#system.ledger();
    expect(ledgerFault(ledger)).toBeNull();
    expect(ledger.pending).toBe(0);
    expect(this.#system.threads).toBeLessThanOrEqual(8);
  }

  async #untilIdle(): Promise<void> {
    while (this.#system.ledger().pending > 0) {
      await Promise.all(this.#living().map((ref) => ref.interrupt({ scope: 'subtree' })));
      // A restarting actor has nothing to interrupt; its mail moves when its delay is over.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const answers = this.#living().map((ref) => ref.ask(this.#snapshot(), { timeoutMs }));
    await Promise.allSettled(answers);
  }

  async #untilDead(): Promise<void> {
    while (this.#living().length > 0 || this.#spawning.size > 0) {
      await Promise.all(this.#living().map((ref) => ref.stop()));
      // Who waited for a thread gets one now, and is stopped in the next round.
      await Promise.race([...this.#spawning, new Promise((resolve) => setTimeout(resolve, 1))]);
    }
  }

  #spawn(parent: ActorRef | null, options: object): Promise<void> {
    const spawned = this.#system
      .spawn(module, {
        args: this.#auditor.ref.address,
        backoff,
        ...options,
        ...(parent === null ? {} : { parent }),
      })
      .then(
        (ref) => {
          this.#refs.push(ref);
          if (parent !== null) this.#parents.set(ref, parent);
          ref.watch(() => {
            this.#exits += 1;
          });
          this.#auditor.watch(ref.address);
        },
        () => {},
      )
      .finally(() => this.#spawning.delete(spawned));
    this.#spawning.add(spawned);
    return spawned;
  }

  #ref(who: number): ActorRef {
    // The first two are there before anything else happens.
    return this.#refs[who % this.#refs.length] as ActorRef;
  }

  #living(): readonly ActorRef[] {
    return this.#refs.filter((ref) => this.#activations(ref));
  }

  #activations(ref: ActorRef): boolean {
    return this.#system.find(ref.id) !== null;
  }

  #next(): number {
    this.#n += 1;
    return this.#n;
  }

  #snapshot(): object {
    return { do: 'note', from: 'host', n: this.#next() };
  }

  #promise(promise: Promise<unknown>): void {
    this.#promised.push(promise.catch(() => {}));
  }

  #signal(receipts: Promise<readonly InterruptReceipt[]>): void {
    this.#receipts.push(receipts);
    this.#promised.push(receipts);
  }
}
