// A kernel whose actors run fixture modules on one kind of host, for promises that every host must keep.
import { expect } from 'vitest';
import type { Behavior } from '#src/actor/behavior.js';
import type { Cell } from '#src/actor/cell.js';
import type { Launch } from '#src/actor/host.js';
import { ledgerFault } from '#src/actor/ledger.js';
import type { ActorRef } from '#src/actor/ref.js';
import { Kernel, type SpawnOptions } from '#src/actor-system/kernel.js';
import { PendingStarts } from '#src/actor-system/pending-starts.js';
import { ManualClock, systemClock } from '#src/base/clock.js';
import { WorkerActivationHost } from '#src/threads/worker-activation-host.js';
import { WorkerPool } from '#src/threads/worker-pool.js';
import { afterEveryTest } from './after-every-test.ts';
import { fixture, within } from './systems.ts';

export type HostKind = 'inline' | 'thread';

export type Rig = {
  readonly kernel: Kernel;
  readonly clock: ManualClock;
  /** Facts that actors published, in order. */
  readonly published: { readonly path: string; readonly event: unknown }[];
  /** Resolves once the actor has started. */
  readonly spawn: (name: string, options?: SpawnOptions) => Promise<ActorRef>;
};

const open: { rig: Rig; pool: WorkerPool }[] = [];

export function hostRig(kind: HostKind): Rig {
  const clock = new ManualClock();
  const published: { path: string; event: unknown }[] = [];
  const starts = new PendingStarts(systemClock, 20_000);
  const pool = new WorkerPool({ clock: systemClock, max: 4, reuse: 'warm', env: process.env });
  const kernel: Kernel = new Kernel({
    clock,
    random: () => 0,
    observer: {
      started: (cell) => starts.started(cell),
      released: (cell, exit) => starts.released(cell, exit),
      published: (cell, event) => published.push({ path: cell.address.path, event }),
    },
    spawnChild: async (parent, module, { name, args }) => {
      const options = { parent, args, ...(name === undefined ? {} : { name }) };
      return (await spawnUrl(module, options)).address;
    },
  });

  async function launchOf(url: string, options: SpawnOptions): Promise<Launch> {
    if (kind === 'inline') {
      const { default: behavior } = (await import(url)) as { default: Behavior };
      return kernel.inlineLaunch(behavior, options.args);
    }
    return (cell) =>
      new WorkerActivationHost(cell, {
        pool,
        kernel,
        profile: {},
        target: { type: 'behavior', url },
        moduleSet: url,
        window: 64,
        args: () => options.args,
      });
  }

  async function spawnUrl(url: string, options: SpawnOptions): Promise<ActorRef> {
    const cell: Cell = kernel.spawnCell(await launchOf(url, options), options);
    await starts.wait(cell, () => kernel.tree.kill(cell.address));
    return kernel.refOf(cell);
  }

  const spawn = (name: string, options: SpawnOptions = {}): Promise<ActorRef> =>
    spawnUrl(String(fixture(name)), options);
  const rig = { kernel, clock, published, spawn };
  open.push({ rig, pool });
  return rig;
}

afterEveryTest(async () => {
  for (const { rig, pool } of open.splice(0)) {
    const { kernel } = rig;
    expect(ledgerFault(kernel.ledger())).toBeNull();
    await within(kernel.close(), 'the kernel to close');
    await within(pool.close(), 'the pool to close');
    kernel.processRef.close();
    expect(ledgerFault(kernel.ledger())).toBeNull();
    expect(kernel.ledger().pending).toBe(0);
    expect(kernel.router.asks.size).toBe(0);
    expect(rig.clock.pending).toBe(0);
  }
});
