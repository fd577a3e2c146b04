// Actor systems on real threads; after each test every one is closed, and its ledger and its threads are checked.
import { expect } from 'vitest';
import { TestProbe } from '#src/actor/test-probe.js';
import {
  type ActorRef,
  type ActorSystem,
  type ActorSystemOptions,
  createActorSystem,
  type DeadLetter,
  ledgerFault,
} from '#src/actor.js';
import { systemClock } from '#src/base/clock.js';
import { afterEveryTest } from './after-every-test.ts';

/** A safety net, far above what any of these waits takes. */
export const patienceMs = 20_000;

export type TestSystem = {
  readonly system: ActorSystem;
  /** Every dead letter, in order, without the ring's bound. */
  readonly letters: DeadLetter[];
  /** How often each reason occurred among the dead letters. */
  readonly reasons: () => Readonly<Record<string, number>>;
};

const open: ActorSystem[] = [];

/** A system whose ladder is quick and whose restarts do not wait. */
export function testSystem(options: ActorSystemOptions = {}): TestSystem {
  const made = ownSystem(options);
  open.push(made.system);
  return made;
}

/** The same, closed by its owner: for the tests of a file that share one. */
export function ownSystem(options: ActorSystemOptions = {}): TestSystem {
  const letters: DeadLetter[] = [];
  const system = createActorSystem({
    random: () => 0,
    onDeadLetter: (letter) => letters.push(letter),
    ...options,
  });
  const reasons = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { reason } of letters) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  };
  return { system, letters, reasons };
}

/** Closes a system early and checks what every closed system must show. */
export async function closeSystem(system: ActorSystem): Promise<void> {
  expect(ledgerFault(system.ledger())).toBeNull();
  await within(system.close(), 'the system to close');
  expect(ledgerFault(system.ledger())).toBeNull();
  expect(system.ledger().pending).toBe(0);
  expect(system.threads).toBe(0);
}

afterEveryTest(async () => {
  for (const system of open.splice(0)) await closeSystem(system);
});

/** The address of a module below test/fixtures. */
export function fixture(name: string): URL {
  return new URL(`../fixtures/${name}.js`, import.meta.url);
}

/** The promise, or after a generous deadline an error that says what was awaited. */
export async function within<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let cancel = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${patienceMs} ms passed, waiting for ${what}`)),
      patienceMs,
    );
    cancel = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}

/** What a promise was rejected with; it must be. */
export async function rejection(promise: Promise<unknown>): Promise<{ code?: string } & Error> {
  const settled = within(
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    'a rejection',
  );
  const outcome = await settled;
  if (!('error' in outcome)) throw new Error(`it resolved to ${JSON.stringify(outcome.value)}`);
  return outcome.error as Error;
}

/** Resolves with how the actor ended. */
export function exitOf(ref: ActorRef): Promise<{ reason: string; failure?: { code: string } }> {
  return within(new Promise((resolve) => ref.watch(resolve)), `the end of ${ref.path}`);
}

/** A probe in the loop of the test, spawned. */
export function spawnProbe(system: ActorSystem): {
  probe: TestProbe;
  ref: ActorRef;
  next: () => Promise<unknown>;
} {
  const probe = new TestProbe(systemClock);
  const ref = system.spawnInline(probe.behavior);
  return { probe, ref, next: () => probe.expectMessage(patienceMs) };
}
