// Kernels on a manual clock; after each test every one is closed, and its ledger, its mail and its timers are checked.
import { expect } from 'vitest';
import type { Next, Self } from '#src/actor/behavior.js';
import { type Behavior, behavior, next, stop } from '#src/actor/behavior.js';
import type { DeadLetter } from '#src/actor/dead-letters.js';
import { ledgerFault } from '#src/actor/ledger.js';
import type { ActorRef } from '#src/actor/ref.js';
import { TestProbe } from '#src/actor/test-probe.js';
import { Kernel, type KernelOptions } from '#src/actor-system/kernel.js';
import { ManualClock } from '#src/base/clock.js';
import { afterEveryTest } from './after-every-test.ts';

export type TestKernel = {
  readonly kernel: Kernel;
  readonly clock: ManualClock;
  /** Every dead letter, in order, without the ring's bound. */
  readonly letters: readonly DeadLetter[];
  /** Lets all that is due now happen; no time passes. */
  readonly untilIdle: () => Promise<void>;
};

const open: { kernel: Kernel; clock: ManualClock }[] = [];

/** A kernel that stands still until its clock is advanced; jitter is off. */
export function testKernel(options: Omit<KernelOptions, 'clock'> = {}): TestKernel {
  const clock = new ManualClock();
  const letters: DeadLetter[] = [];
  const kernel = new Kernel({
    random: () => 0,
    onDeadLetter: (letter) => letters.push(letter),
    ...options,
    clock,
  });
  open.push({ kernel, clock });
  return { kernel, clock, letters, untilIdle: () => clock.advance(0) };
}

/** Closes a kernel, giving what hangs the time its ladder needs. */
export async function closeAll(kernel: Kernel, clock: ManualClock): Promise<void> {
  const closing = kernel.close();
  await clock.advance(20_000);
  await closing;
}

afterEveryTest(async () => {
  for (const { kernel, clock } of open.splice(0)) {
    expect(ledgerFault(kernel.ledger())).toBeNull();
    await closeAll(kernel, clock);
    expect(ledgerFault(kernel.ledger())).toBeNull();
    expect(kernel.ledger().pending).toBe(0);
    expect(kernel.router.bytes.used).toBe(0);
    expect(kernel.router.asks.size).toBe(0);
    expect(kernel.tree.size).toBe(0);
    expect(clock.pending).toBe(0);
  }
});

/** A probe, spawned. */
export function spawnProbe(on: TestKernel): { probe: TestProbe; ref: ActorRef } {
  const probe = new TestProbe(on.clock);
  const ref = on.kernel.spawnInline(probe.behavior);
  return { probe, ref };
}

/** A behaviour without state: `react` takes each message, and returns `stop()` to end. */
export function reacting(
  react: (message: unknown, self: Self) => unknown,
  hooks: {
    readonly start?: (self: Self, args: unknown) => unknown;
    readonly stopped?: (self: Self) => void | Promise<void>;
  } = {},
): Behavior<null, unknown, unknown> {
  return behavior<null, unknown, unknown>({
    start: (args, self) => {
      const starting = hooks.start?.(self, args);
      return starting instanceof Promise ? starting.then(() => null) : null;
    },
    receive: (_state, message, self) => {
      const reaction = react(message, self);
      return reaction instanceof Promise ? reaction.then(toNext) : toNext(reaction);
    },
    stopped: (_state, self) => hooks.stopped?.(self),
  });
}

function toNext(reaction: unknown): Next<null> {
  return reaction === stop() ? stop() : next(null);
}

/** A promise and the hands that settle it. */
export type Gate<Value = void> = {
  readonly passed: Promise<Value>;
  readonly open: (value: Value) => void;
  readonly fail: (error: unknown) => void;
};

export function gate<Value = void>(): Gate<Value> {
  let open: (value: Value) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const passed = new Promise<Value>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open, fail };
}

/** Rejects with the signal's reason once it aborts: what a well-behaved await does. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
