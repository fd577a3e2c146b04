// Checks the decisions of the ladder: next signal, settled, stage (S1, S3, S4).
import { describe, expect, it } from 'vitest';
import { receiptStages } from '#src/actor/ref.js';
import {
  type EscalationPhase,
  type EscalationView,
  isComplete,
  nextPhaseDueAt,
  nextSignal,
  type StageFacts,
  stageOf,
} from '#src/supervision/escalation.js';

const busy: EscalationView = {
  want: 'idle',
  sent: 0,
  isIdle: false,
  awaitsChildren: false,
  isOver: false,
  isPassive: false,
  hasLiveChildren: false,
};

describe('nextSignal', () => {
  const rows: readonly {
    readonly phase: EscalationPhase;
    readonly view: Partial<EscalationView>;
    readonly signal: 'interrupt' | 'stop' | 'kill' | null;
  }[] = [
    { phase: 'interrupt', view: {}, signal: 'interrupt' },
    { phase: 'interrupt', view: { sent: 1 }, signal: null },
    { phase: 'interrupt', view: { isIdle: true }, signal: null },
    { phase: 'interrupt', view: { want: 'ended' }, signal: 'interrupt' },
    { phase: 'interrupt', view: { want: 'ended', sent: 1 }, signal: null },
    { phase: 'interrupt', view: { want: 'ended', isIdle: true }, signal: 'stop' },
    { phase: 'interrupt', view: { want: 'ended', isIdle: true, sent: 1 }, signal: 'stop' },
    { phase: 'interrupt', view: { want: 'ended', isIdle: true, sent: 2 }, signal: null },
    {
      phase: 'interrupt',
      view: { want: 'ended', isIdle: true, hasLiveChildren: true },
      signal: null,
    },
    { phase: 'stop', view: {}, signal: 'stop' },
    { phase: 'stop', view: { sent: 1 }, signal: 'stop' },
    { phase: 'stop', view: { sent: 2 }, signal: null },
    { phase: 'stop', view: { hasLiveChildren: true }, signal: 'interrupt' },
    { phase: 'stop', view: { hasLiveChildren: true, sent: 1 }, signal: null },
    { phase: 'stop', view: { want: 'ended', isIdle: true, hasLiveChildren: true }, signal: null },
    { phase: 'stop', view: { isIdle: true }, signal: null },
    { phase: 'stop', view: { want: 'ended', isIdle: true }, signal: 'stop' },
    { phase: 'kill', view: {}, signal: 'kill' },
    { phase: 'kill', view: { sent: 2, hasLiveChildren: true }, signal: 'kill' },
    { phase: 'kill', view: { sent: 3 }, signal: null },
    { phase: 'kill', view: { isIdle: true }, signal: null },
    { phase: 'kill', view: { want: 'ended', isIdle: true }, signal: 'kill' },
    { phase: 'stop', view: { want: 'ended', isIdle: true, awaitsChildren: true }, signal: null },
    { phase: 'kill', view: { want: 'ended', isIdle: true, awaitsChildren: true }, signal: null },
    { phase: 'interrupt', view: { isOver: true }, signal: null },
    { phase: 'stop', view: { want: 'ended', isOver: true }, signal: null },
    { phase: 'kill', view: { want: 'ended', isOver: true }, signal: null },
  ];

  it.each(rows)('sends $signal in phase $phase to $view (S3)', ({ phase, view, signal }) => {
    expect(nextSignal({ ...busy, ...view }, phase)).toBe(signal);
  });

  it('never sends a signal that is not stronger than the last (S1)', () => {
    const strength = { interrupt: 1, stop: 2, kill: 3 };
    const flags = [true, false];
    for (const phase of ['interrupt', 'stop', 'kill'] as const) {
      for (const want of ['idle', 'ended'] as const) {
        for (const sent of [0, 1, 2, 3]) {
          for (const isIdle of flags) {
            for (const hasLiveChildren of flags) {
              const view = { ...busy, want, sent, isIdle, hasLiveChildren };
              const signal = nextSignal(view, phase);
              if (signal !== null) expect(strength[signal]).toBeGreaterThan(sent);
            }
          }
        }
      }
    }
  });
});

describe('hasSettled', () => {
  it.each([
    { view: { isOver: true }, expected: true },
    { view: { isOver: true, want: 'ended' }, expected: true },
    { view: { isIdle: true }, expected: true },
    { view: { isIdle: true, sent: 1 }, expected: true },
    { view: { isIdle: true, sent: 2 }, expected: false },
    { view: { isIdle: true, want: 'ended' }, expected: false },
    { view: {}, expected: false },
  ] as const)('answers $expected for $view (S4)', ({ view, expected }) => {
    expect(isComplete({ ...busy, ...view })).toBe(expected);
  });
});

describe('stageOf', () => {
  const facts: StageFacts = {
    wasOver: false,
    hadReceive: true,
    wasWaiting: false,
    isUnresponsive: false,
    sent: 1,
    want: 'idle',
    lastResult: null,
  };
  const rows: readonly { readonly given: Partial<StageFacts>; readonly stage: string }[] = [
    { given: { wasOver: true }, stage: 'already_dead' },
    { given: { isUnresponsive: true, sent: 3 }, stage: 'unresponsive' },
    { given: { lastResult: 'processed' }, stage: 'completed' },
    { given: { lastResult: 'processed', sent: 2, want: 'ended' }, stage: 'completed' },
    { given: { lastResult: 'processed', sent: 3, want: 'ended' }, stage: 'completed' },
    { given: { lastResult: 'interrupted' }, stage: 'interrupted' },
    { given: { lastResult: 'interrupted', sent: 2, want: 'ended' }, stage: 'interrupted' },
    { given: { lastResult: 'interrupted', sent: 3 }, stage: 'killed' },
    { given: { lastResult: 'crashed' }, stage: 'interrupted' },
    { given: { lastResult: 'crashed', sent: 2 }, stage: 'stopped' },
    { given: { lastResult: 'crashed', sent: 3 }, stage: 'killed' },
    { given: { hadReceive: false, wasWaiting: true, sent: 0 }, stage: 'not_started' },
    { given: { hadReceive: false, wasWaiting: true, sent: 2 }, stage: 'not_started' },
    { given: { hadReceive: false, lastResult: 'processed', sent: 0 }, stage: 'completed' },
    {
      given: { hadReceive: false, lastResult: 'processed', sent: 2, want: 'ended' },
      stage: 'stopped',
    },
    {
      given: { hadReceive: false, lastResult: 'processed', sent: 3, want: 'ended' },
      stage: 'killed',
    },
  ];

  it.each(rows)('reports $stage for $given (S4)', ({ given, stage }) => {
    expect(stageOf({ ...facts, ...given })).toBe(stage);
  });

  it('can report every stage of the closed list (S4)', () => {
    expect(new Set(rows.map(({ stage }) => stage))).toEqual(new Set(receiptStages));
  });
});

describe('nextPhaseDueAt', () => {
  it.each([
    { what: 'the first phase has its whole grace', now: 70, countsFrom: 70, dueAt: 120 },
    { what: 'a long sending is part of the first', now: 80, countsFrom: 70, dueAt: 120 },
    {
      what: 'a timer in time leaves the next its whole grace',
      now: 100,
      countsFrom: 100,
      dueAt: 150,
    },
    {
      what: 'what a timer was late is taken from the next',
      now: 110,
      countsFrom: 100,
      dueAt: 150,
    },
    { what: 'half of a grace is always given', now: 130, countsFrom: 100, dueAt: 155 },
    { what: 'however late', now: 900, countsFrom: 100, dueAt: 925 },
  ])('$what (S3)', ({ now, countsFrom, dueAt }) => {
    expect(nextPhaseDueAt({ now, countsFrom, graceMs: 50 })).toBe(dueAt);
  });
});
