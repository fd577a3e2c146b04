// Checks what a probe says of a slot whose thread answers, is silent, is dying, or is not there (V9).
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CellState } from '#src/actor/cell-state.js';
import { LivenessProbe } from '#src/supervisor/liveness-probe.js';
import type { SlotPortEvents } from '#src/threads/slot-port.js';
import { ThreadPort } from '#src/threads/thread-port.js';
import { WorkerSlot } from '#src/threads/worker-slot.js';
import { gate } from '../support/kernel.ts';
import { within } from '../support/systems.ts';

const running = { state: { status: 'running' } } as const;

/** A slot whose thread is played by the test: it came online, and answers pings or does not. */
async function slotOf({ isAnswering }: { readonly isAnswering: boolean }): Promise<WorkerSlot> {
  const online = gate();
  const runner = {
    open(_flags: unknown, events: SlotPortEvents) {
      const port = new ThreadPort(events);
      const thread = port.other;
      onTestFinished(() => thread.close());
      if (isAnswering) {
        thread.on('message', ({ nonce }) => thread.postMessage({ type: 'pong', nonce }));
      }
      thread.postMessage({ type: 'online', threadId: 1, osThreadId: null });
      return { port, over: new Promise<never>(() => {}) };
    },
    serve: () => null,
    heapMb: 512,
  };
  const slot = new WorkerSlot(runner, { online: () => online.open(), gone: () => {} });
  await within(online.passed, 'the seat');
  return slot;
}

const silentSlot = () => slotOf({ isAnswering: false });

/** A slot that has answered every ping before this one. */
async function answered(slot: WorkerSlot): Promise<void> {
  await within(new Promise<void>((resolve) => slot.ping(resolve)), 'an answer');
}

describe('a probe', () => {
  it('says that a thread answers once it did (V9)', async () => {
    const slot = await slotOf({ isAnswering: true });
    const probe = new LivenessProbe(running, () => slot);
    expect(probe.verdict()).toBe('spinning');

    await answered(slot);

    expect(probe.verdict()).toBe('answers');
  });

  it('says that a silent thread spins where its state cannot be read (V9)', async () => {
    const slot = await silentSlot();

    expect(new LivenessProbe(running, () => slot).verdict()).toBe('spinning');
  });

  it.each([true, false])('says dead of a dying slot, whether it answered: %s (V9)', async (did) => {
    const slot = await slotOf({ isAnswering: did });
    const probe = new LivenessProbe(running, () => slot);
    if (did) await answered(slot);

    slot.kill();

    expect(probe.verdict()).toBe('dead');
  });

  it('holds nothing against a thread that it did not ask (V9)', async () => {
    const asked = await silentSlot();
    const another = await silentSlot();
    let current: WorkerSlot | null = asked;
    const probe = new LivenessProbe(running, () => current);

    current = another;

    expect(probe.verdict()).toBe('answers');
  });

  it.each<[CellState, string]>([
    [{ status: 'starting', isPaused: false }, 'answers'],
    [{ status: 'running' }, 'dead'],
    [{ status: 'paused' }, 'dead'],
    [{ status: 'stopping', reason: 'stopped' }, 'dead'],
    [{ status: 'killing', reason: 'killed' }, 'dead'],
    [{ status: 'parked', isPaused: false }, 'answers'],
    [{ status: 'ended', exit: { reason: 'crashed' }, isPaused: false }, 'answers'],
    [{ status: 'unresponsive' }, 'answers'],
    [{ status: 'stopped', exit: { reason: 'normal' } }, 'answers'],
  ])('says of an actor without a slot that is %o: %s (V9)', (state, verdict) => {
    expect(new LivenessProbe({ state }, () => null).verdict()).toBe(verdict);
  });
});
