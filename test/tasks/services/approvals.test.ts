// Proves what the asking of a person promises about calls that are given up: before they are asked about, and two of one id.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { TroupeError } from '#src/base/failures.js';
import { EventBus } from '#src/events/events.js';
import { OpenCalls } from '#src/tasks/open-calls.js';
import { RunTimers } from '#src/tasks/run-timers.js';
import { type ApprovalRequest, Approvals } from '#src/tasks/services/approvals.js';
import type { Run } from '#src/tasks/state.js';

let suspended = 0;
const timers = new RunTimers();
timers.suspend = () => {
  suspended += 1;
  return () => {
    suspended -= 1;
  };
};
const run = {
  id: 'a1',
  path: '/a',
  spec: { name: 'a' },
  task: { id: 't1', written: { log: null } },
  subject: {},
  parent: null,
  timers,
  calls: new OpenCalls(timers),
} as unknown as Run;
const call = {
  callId: 'c1',
  name: 'careful',
  input: {},
  tags: [],
  requiredBy: [{ by: 'tool' }],
} as const;

/** Approvals that nobody ever answers. */
function unanswered() {
  const clock = new ManualClock();
  const events = new EventBus(clock);
  const asked: ApprovalRequest[] = [];
  const approvals = new Approvals({
    clock,
    events,
    approve: (request) => {
      asked.push(request);
      return new Promise(() => {});
    },
    timeoutMs: 60_000,
    record: async () => {},
  });
  return { approvals, events, asked, suspensions: () => suspended };
}

describe('the asking of a person', () => {
  it('asks no person for a call that was given up already (S5)', async () => {
    const { approvals, events, asked, suspensions } = unanswered();
    const signal = AbortSignal.abort(new TroupeError('interrupted', 'given up'));

    const answer = await approvals.ask(run, call, signal);

    expect(answer).toMatchObject({
      status: 'denied',
      failure: { code: 'interrupted', message: 'given up' },
    });
    expect(asked).toHaveLength(0);
    expect(events.lastSeq).toBe(0);
    expect(suspensions()).toBe(0);
  });

  it('gives every question of a call up, also when one of two with its id is over (S5)', async () => {
    const { approvals, asked, suspensions } = unanswered();
    const first = new AbortController();
    const { signal } = new AbortController();
    const answers = [first.signal, signal, signal].map((each) => approvals.ask(run, call, each));
    first.abort(new TroupeError('activation_ended', 'over'));
    expect(await answers[0]).toMatchObject({ failure: { code: 'activation_ended' } });
    expect(asked.map((each) => each.signal.aborted)).toEqual([true, false, false]);

    run.calls.abort('c1', new TroupeError('interrupted', 'given up'));

    expect(asked.map((each) => each.signal.aborted)).toEqual([true, true, true]);
    expect(await Promise.all(answers)).toMatchObject([
      { failure: { code: 'activation_ended' } },
      { failure: { code: 'interrupted' } },
      { failure: { code: 'interrupted' } },
    ]);
    expect(suspensions()).toBe(0);
  });

  it.each([
    [{ deny: 'not now' }, 'did not get it: not now. It was not run.'],
    [{ deny: 'Use /tmp.' }, 'did not get it: Use /tmp. It was not run.'],
  ])('tells the model the text of a denial (%j)', async (answer, text) => {
    const clock = new ManualClock();
    const approve = () => answer;
    const events = new EventBus(clock);
    const approvals = new Approvals({
      clock,
      events,
      approve,
      timeoutMs: 60_000,
      record: async () => {},
    });

    const { signal } = new AbortController();
    expect(await approvals.ask(run, call, signal)).toMatchObject({
      failure: { message: expect.stringContaining(text) },
    });
  });
});
