// Checks how calls wait together for a provider that is down: pauses, the one call that tries, and the end of the wait.
import { describe, expect, it } from 'vitest';
import { arrangeClient } from '../client-support.ts';

/** A client whose calls are tried once, and that waits for up to this long. */
const arrange = (maxOutageMs = 600_000) =>
  arrangeClient({
    labels: ['key 1'],
    initialCalls: null,
    policy: { attempts: 1, maxDelayMs: 8_000, maxOutageMs },
  });

describe('calls to a provider that is down', () => {
  it('wait together with pauses that double up to a minute, and one of them tries at a time', async () => {
    const { call, clock, sent, untilIdle } = arrange();
    for (const agent of ['a', 'b', 'c']) void call(agent);
    await untilIdle();
    for (const each of sent) each.refuse(529);
    await untilIdle();
    void call('d');

    const tries: number[] = [];
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      const before = sent.length;
      await clock.advance(pauseMs - 1);
      expect(sent).toHaveLength(before);
      await clock.advance(1);
      tries.push(sent.length - before);
      sent.at(-1)?.refuse(503);
      await untilIdle();
    }

    expect(tries).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('go on once one of them is answered, each is answered, and both ends are reported once', async () => {
    const { call, clock, sent, ends, reports, untilIdle } = arrange();
    for (const agent of ['a', 'b']) void call(agent);
    await untilIdle();
    for (const each of sent) each.refuse(529);
    await clock.advance(5_000);
    sent[2]?.refuse(529);
    await clock.advance(10_000);

    for (let next = 3; next < 5; next += 1) {
      sent[next]?.answer();
      await untilIdle();
    }

    expect(ends).toHaveLength(2);
    expect(ends.every((end) => end.endsWith('answered'))).toBe(true);
    const place = 'anthropic at http://127.0.0.1:1';
    expect(reports.filter((line) => line.includes(place))).toEqual([
      `${place} is down: 529 said, next try in 5 s`,
      `${place} answers again: its calls go on`,
    ]);
    expect(reports.filter((line) => line === 'b waits')).not.toEqual([]);
    expect(reports.filter((line) => line.endsWith('waits'))).toHaveLength(
      reports.filter((line) => line.endsWith('goes on')).length,
    );
  });

  it('wait as long as it asks for', async () => {
    const { call, clock, sent, untilIdle } = arrange();
    void call('a');
    await untilIdle();
    sent[0]?.refuse(503, 90_000);

    await clock.advance(89_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent).toHaveLength(2);
    sent[1]?.answer();
    await untilIdle();
  });

  it('fail once it was waited for long enough, and later ones at once until it answers one', async () => {
    const { call, clock, sent, ends, reports, untilIdle } = arrange(12_000);
    for (const agent of ['a', 'b']) void call(agent);
    await untilIdle();
    for (const each of sent) each.refuse(529);
    await clock.advance(5_000);
    sent.at(-1)?.refuse(529);
    await clock.advance(7_000);
    sent.at(-1)?.refuse(529);
    await untilIdle();

    expect(ends.sort()).toEqual(['a model_overloaded', 'b model_overloaded']);
    expect(reports).toContain(
      'anthropic at http://127.0.0.1:1 is still down after 12 s: its calls fail',
    );

    void call('c');
    await untilIdle();
    sent.at(-1)?.refuse(529);
    await untilIdle();
    expect(ends).toContain('c model_overloaded');
    expect(clock.pending).toBe(0);

    void call('d');
    await untilIdle();
    sent.at(-1)?.answer();
    await untilIdle();
    void call('e');
    await untilIdle();
    sent.at(-1)?.refuse(529);
    await clock.advance(5_000);
    sent.at(-1)?.answer();
    await untilIdle();
    expect(ends).toContain('e answered');
  });

  it('are left at once with their signal; another one tries in the place of one that is left', async () => {
    const { call, clock, sent, ends, untilIdle } = arrange();
    const signals = new Map(['a', 'b', 'c'].map((agent) => [agent, new AbortController()]));
    for (const [agent, { signal }] of signals) void call(agent, { signal });
    await untilIdle();
    for (const each of sent) each.refuse(500);
    await untilIdle();

    signals.get('a')?.abort();
    await untilIdle();
    expect(ends).toEqual(['a aborted']);

    await clock.advance(5_000);
    const [probe] = sent.splice(0).slice(-1);
    signals.get(probe?.agent ?? '')?.abort();
    probe?.refuse(500);
    await untilIdle();
    const [other] = sent;
    expect(other?.agent).toBe(probe?.agent === 'b' ? 'c' : 'b');
    other?.answer();
    await untilIdle();
    expect(ends.slice(1)).toEqual([`${probe?.agent} model_failed`, `${other?.agent} answered`]);
  });

  it.each([
    [400, 'model_bad_request'],
    [429, 'model_rate_limited'],
  ])('go on after a refusal of %i: it answers', async (status, code) => {
    const { call, clock, sent, ends, reports, untilIdle } = arrange();
    void call('a');
    await untilIdle();
    sent[0]?.refuse(500);
    await clock.advance(5_000);
    sent[1]?.refuse(status);
    await untilIdle();

    expect(ends).toEqual([`a ${code}`]);
    expect(reports.at(-1)).toMatch(/answers again|goes on/);
    await clock.advance(10_000);
  });

  it('fail at once where no wait is set', async () => {
    const { call, sent, ends, untilIdle } = arrange(0);
    void call('a');
    await untilIdle();
    sent[0]?.refuse(529);
    await untilIdle();

    expect(ends).toEqual(['a model_overloaded']);
  });
});
