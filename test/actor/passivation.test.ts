// Checks when an idle actor is passive: the decision alone, over all its facts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdleFacts, isEligible, whenIdle } from '#src/actor/passivation-policy.js';

const idle: IdleFacts = {
  status: 'running',
  idleForMs: 100,
  afterIdleMs: 100,
  queued: 0,
  stashed: 0,
  inFlight: 0,
  mustReply: false,
  isFree: true,
  hasFailed: false,
};

describe('whenIdle', () => {
  it('passivates what has been idle for long enough, and not a moment earlier (P1)', () => {
    expect(whenIdle(idle)).toEqual({ type: 'passivate' });
    expect(whenIdle({ ...idle, idleForMs: 99 })).toEqual({ type: 'look_again', inMs: 1 });
  });

  const reasons: readonly Partial<IdleFacts>[] = [
    { queued: 1 },
    { stashed: 1 },
    { inFlight: 1 },
    { mustReply: true },
    { isFree: false },
    { status: 'paused' },
  ];

  it.each(reasons)('leaves an actor live that has %o, and looks again (P1)', (reason) => {
    expect(whenIdle({ ...idle, ...reason })).toEqual({ type: 'look_again', inMs: 100 });
  });

  it('does not try again what cannot be kept before its state can have changed (P1)', () => {
    expect(whenIdle({ ...idle, hasFailed: true })).toEqual({ type: 'wait' });
  });

  const statuses = [
    'starting',
    'running',
    'paused',
    'stopping',
    'killing',
    'ended',
    'parked',
    'passivating',
    'passivated',
    'activating',
    'unresponsive',
    'stopped',
  ] as const;
  const facts = fc.record({
    status: fc.constantFrom(...statuses),
    idleForMs: fc.nat(1_000),
    afterIdleMs: fc.integer({ min: 1, max: 1_000 }),
    queued: fc.nat(2),
    stashed: fc.nat(2),
    inFlight: fc.nat(2),
    mustReply: fc.boolean(),
    isFree: fc.boolean(),
    hasFailed: fc.boolean(),
  });

  it('never passivates what has something to do, and always looks later than now (P1)', () => {
    fc.assert(
      fc.property(facts, (seen) => {
        const verdict = whenIdle(seen);
        if (verdict.type === 'look_again') expect(verdict.inMs).toBeGreaterThan(0);
        expect(verdict.type === 'passivate').toBe(
          isEligible(seen) && seen.idleForMs >= seen.afterIdleMs,
        );
        const { queued, stashed, inFlight, mustReply, isFree, status } = seen;
        const isBusy = queued + stashed + inFlight > 0 || mustReply || !isFree;
        if (isBusy || status !== 'running') expect(verdict.type).not.toBe('passivate');
      }),
    );
  });
});
