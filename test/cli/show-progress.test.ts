// Checks the progress of a program's own supervisor: a tree on a terminal, lines elsewhere, nothing left once it is over.
import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ShowProgressOptions, showProgress } from '#src/progress.js';
import { ManualClock } from '#src/testing.js';
import { delegate, named } from '../supervisor/family.ts';
import { supervise, within } from '../supervisor/support.ts';

const esc = '\u001b';

/** A stream that keeps what is written to it. */
function sink(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const stream = Object.assign(new EventEmitter(), { isTTY, columns: 110, rows: 24, write });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    text: () => stripVTControlCharacters(written.join('')),
    raw: () => written.join(''),
    written,
  };
}

const tree: ShowProgressOptions = { kind: 'tree' };
const team = {
  default: [
    { toolCalls: [{ name: 'delegate', input: { agents: ['helper'] } }] },
    { text: 'all done' },
  ],
  agents: { helper: [{ text: 'helped' }] },
};

describe('showProgress', () => {
  it('draws the tree on a terminal, and leaves a line of each task that ended', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] });
    const { stream, text, raw, written } = sink(true);
    const clock = new ManualClock();
    const stop = showProgress(supervisor, { ...tree, stream, clock, total: 4 });
    const handle = supervisor.start({ goal: 'Read it.\nAll of it.' });
    await watch.next('turn_started');

    await clock.advance(80);
    expect(text()).toMatch(/running +[█░]+ +0\/4 0%/);
    expect(text()).toMatch(/Read it\. All of it\. +turn 1 +waiting for the provider/);
    await within(handle.interrupt(), 'the end');
    stop();

    expect(text()).toMatch(/■ Read it\. All of it\. +interrupted/);
    // Ctrl-C in the middle leaves a terminal with its cursor.
    expect(raw()).not.toContain(`${esc}[?25l`);
    const { length } = written;
    await clock.advance(1_000);
    expect([written.length, clock.pending, stream.listenerCount('error')]).toEqual([length, 0, 0]);
  });

  it('writes a line per start and end where there is no terminal, with parents', async () => {
    const { supervisor } = supervise(team, { tools: [delegate], agents: named('helper') });
    const { stream, text, raw } = sink(false);
    const stop = showProgress(supervisor, { stream });

    await within(supervisor.delegate({ goal: 'Lead.' }), 'the outcome');
    stop();

    const lines = text().trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/ {2}completed.*/, ''))).toEqual([
      'start  Lead.',
      'start  Lead. ▸ Do part 0.',
      'end    Lead. ▸ Do part 0.',
      'end    Lead.',
    ]);
    expect(raw()).not.toContain(esc);
  });

  it('ends with its supervisor', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const { stream } = sink(true);
    const clock = new ManualClock();
    showProgress(supervisor, { ...tree, stream, clock });
    expect(clock.pending).toBe(1);

    await within(supervisor.close(), 'the end');
    await new Promise<void>((resolve) => setImmediate(resolve));

    expect([clock.pending, stream.listenerCount('error')]).toEqual([0, 0]);
  });

  it('shows two supervisors on streams of their own', async () => {
    const [first, second] = [sink(false), sink(false)];
    const stops = await Promise.all(
      [first, second].map(async ({ stream }, at) => {
        const { supervisor } = supervise({ default: [{ text: 'done' }] });
        const stop = showProgress(supervisor, { stream });
        await within(supervisor.delegate({ goal: `Task ${at}` }), 'the outcome');
        return stop;
      }),
    );
    for (const stop of stops) stop();

    expect(first.text()).not.toContain('Task 1');
    expect(second.text()).not.toContain('Task 0');
  });

  it.each([
    ['no supervisor', undefined, {}, /supervisor is undefined/],
    ['a stream that is none', 'own', { stream: 'stderr' }, /stream is "stderr": expected a stream/],
    ['another kind', 'own', { kind: 'json' }, /kind is "json"/],
    ['an option that there is not', 'own', { color: true }, /there is no option "color"/],
  ])('refuses %s', (_what, given, options, message) => {
    const supervisor = given === 'own' ? supervise({ default: [] }).supervisor : given;

    expect(() => showProgress(supervisor as never, options as never)).toThrow(message);
  });
});
