// Checks steers against random turns, pauses, parkings and ends on real threads: one end each, and what was taken is said once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { createSupervisor, defineTool, type SteerReceipt } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { delegate, handsTo, named } from './family.ts';
import { audit, turns, Watch, within } from './support.ts';

const actions = [
  ...['steer', 'steer', 'let', 'let', 'wait', 'wait', 'crowd'],
  ...['pause', 'resume', 'interrupt'],
] as const;

const history = fc.record({
  steps: fc.array(fc.constantFrom(...actions), { minLength: 3, maxLength: 16 }),
  /** With one slot the run is parked whenever it delegates, with two when a crowd comes. */
  slots: fc.constantFrom(1, 2),
  maxTurns: fc.constantFrom(3, 50),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

const step = { text: 'a step', toolCalls: [{ name: 'step', input: {} }] };

/** A supervisor whose tool ends when it is let, each call once. */
function open({ slots }: History) {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const tool = defineTool({
    name: 'step',
    description: 'Ends when it is let.',
    input: z.object({}),
    run: () => (isOpen ? 'on' : new Promise((resolve) => waiting.push(() => resolve('on')))),
  });
  const supervisor = createSupervisor({
    model: scripted({
      agents: {
        boss: [step, handsTo('leaf'), step, { text: 'an answer', repeat: true }],
        leaf: [step, { text: 'leaf' }],
        crowd: [{ text: 'crowd' }],
      },
    }),
    tools: [delegate, tool],
    agents: named('boss', 'leaf', 'crowd'),
    limits: { maxLiveAgents: slots },
    timeouts: { interruptGraceMs: 3_600_000 },
  });
  const letAll = (): void => {
    isOpen = true;
    for (const go of waiting.splice(0)) go();
  };
  return { supervisor, watch: new Watch(supervisor), letOne: () => waiting.shift()?.(), letAll };
}

async function play(what: History): Promise<void> {
  const { supervisor, watch, letOne, letAll } = open(what);
  const handle = supervisor.start({ goal: 'go', agent: 'boss', maxTurns: what.maxTurns });
  const receipts: Promise<SteerReceipt>[] = [];
  const interrupts: Promise<unknown>[] = [];
  try {
    for (const each of what.steps) {
      if (each === 'steer') receipts.push(handle.steer(`word ${receipts.length + 1}`));
      else if (each === 'let') letOne();
      else if (each === 'pause') handle.pause();
      else if (each === 'resume') handle.resume();
      else if (each === 'crowd') supervisor.start({ goal: 'beside', agent: 'crowd' });
      else if (each === 'interrupt') interrupts.push(handle.interrupt());
      // Only shapes the history: nothing is concluded from it.
      else await turns(200);
    }
    handle.resume();
    letAll();
    const outcome = await within(handle.result(), 'the outcome');
    if (interrupts.length === 0)
      expect(outcome.status).toBe(what.maxTurns < 4 ? 'failed' : 'completed');
    await within(supervisor.drain(), 'the others');
    const settled = await within(Promise.all(receipts), 'the receipts');
    await within(Promise.all(interrupts), 'the interrupts');

    const transcript = supervisor.transcript(handle.id);
    expect(pairingFault(transcript), 'calls and results pair').toBeNull();
    const texts = transcript.flatMap(({ content: [first] }) =>
      first?.type === 'text' && first.text.startsWith('word ') ? [first.text.slice(5)] : [],
    );
    const statusesOf = (id: string) =>
      watch
        .of('steering_updated')
        .flatMap(({ steerId, status }) => (steerId === id ? [status] : []));
    const taken = settled.filter(({ id, status }) => {
      const [end, ...more] = statusesOf(id).filter((each) => each !== 'queued');
      expect(more, `one end of ${id}`).toEqual([]);
      if (status !== 'queued') expect([end], `the end of ${id}`).toEqual([status]);
      expect(statusesOf(id)[0], `the first word of ${id}`).toBe(status);
      expect(['delivered', 'undelivered']).toContain(end);
      return end === 'delivered';
    });
    expect(texts, 'M2: what was taken is said once, in order').toEqual(
      taken.map(({ id }) => id.slice(1)),
    );
  } finally {
    await within(supervisor.close(), 'close');
  }
  audit(supervisor, watch.events, await within(watch.read, 'the end of the events'));
}

describe('steers', () => {
  it('each have one end, whatever happens to their run, and are taken once and in order (M2, S9, V7)', async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 30, endOnFailure: true });
  }, 120_000);
});
