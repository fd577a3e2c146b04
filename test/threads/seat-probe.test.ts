// Checks what a probe says of a seat whose thread answers, is silent, is dying, or is not there (V9).
import type { MessagePort } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CellState } from '#src/actor/lifecycle.js';
import { SeatProbe } from '#src/supervisor/liveness-probe.js';
import { Seat } from '#src/threads/worker-slot.js';
import { gate } from '../support/kernel.ts';
import { within } from '../support/systems.ts';

const running = { state: { status: 'running' } } as const;

/** A seat whose thread is played by the test: it came online, and answers pings or does not. */
async function seatOf({ isAnswering }: { readonly isAnswering: boolean }): Promise<Seat> {
  const online = gate();
  const runner = {
    run({ port }: { readonly port: MessagePort }): Promise<never> {
      onTestFinished(() => port.close());
      if (isAnswering) {
        port.on('message', ({ nonce }) => port.postMessage({ type: 'pong', nonce }));
      }
      port.postMessage({ type: 'online', threadId: 1, osThreadId: null });
      return new Promise(() => {});
    },
    threadOf: () => null,
    serves: () => {},
  };
  const seat = new Seat(1, runner, {
    niceness: 0,
    events: { online: () => online.open(), gone: () => {} },
  });
  await within(online.passed, 'the seat');
  return seat;
}

const silentSeat = () => seatOf({ isAnswering: false });

/** A seat that has answered every ping before this one. */
async function answered(seat: Seat): Promise<void> {
  await within(new Promise<void>((resolve) => seat.ping(resolve)), 'an answer');
}

describe('a probe', () => {
  it('V9 says that a thread answers once it did', async () => {
    const seat = await seatOf({ isAnswering: true });
    const probe = new SeatProbe(running, () => seat);
    expect(probe.verdict()).toBe('spinning');

    await answered(seat);

    expect(probe.verdict()).toBe('answers');
  });

  it('V9 says that a silent thread spins where its state cannot be read', async () => {
    const seat = await silentSeat();

    expect(new SeatProbe(running, () => seat).verdict()).toBe('spinning');
  });

  it.each([true, false])('V9 says dead of a dying seat, whether it answered: %s', async (did) => {
    const seat = await seatOf({ isAnswering: did });
    const probe = new SeatProbe(running, () => seat);
    if (did) await answered(seat);

    seat.kill();

    expect(probe.verdict()).toBe('dead');
  });

  it('V9 holds nothing against a thread that it did not ask', async () => {
    const asked = await silentSeat();
    const another = await silentSeat();
    let current: Seat | null = asked;
    const probe = new SeatProbe(running, () => current);

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
    [{ status: 'wedged' }, 'answers'],
    [{ status: 'stopped', exit: { reason: 'normal' } }, 'answers'],
  ])('V9 says of an actor without a seat that is %o: %s', (state, verdict) => {
    expect(new SeatProbe({ state }, () => null).verdict()).toBe(verdict);
  });
});
