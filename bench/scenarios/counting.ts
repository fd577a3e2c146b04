// T2: how many one-way messages a second reach an actor on a thread. Leaves out replies.
import assert from 'node:assert/strict';
import { serialize } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { type ActorRef, createActorSystem } from '#src/actor.js';
import { askBareThread, startBareThreads } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import type { CounterMessage } from '../threads/bare-counter.ts';

const sizes: Sizes<{ readonly messages: number; readonly rounds: number }> = {
  smoke: { messages: 500, rounds: 1 },
  normal: { messages: 50_000, rounds: 21 },
  full: { messages: 200_000, rounds: 31 },
};

const message: CounterMessage = { type: 'add', amount: 1, note: 'x'.repeat(66) };

/**
 * Tells of 100 B, as many as fit, until the actor answers their sum; its mailbox is bounded by their number.
 * The baseline posts the same bare payload to a worker, one `postMessage` each, and waits for the sum.
 */
export const counting: Scenario = {
  name: 'counting',
  targets: ['T2'],
  description: 'one-way tells of 100 B to a volatile actor on a thread, per second',
  variants: ['troupe tell', 'raw postMessage'],
  async run(size: Size) {
    assert.equal(serialize(message).length, 100, 'bytes of a message');
    const { messages, rounds } = sizes[size];
    await using bare = await startBareThreads('bare-counter', 1);
    await using system = createActorSystem({ threads: { min: 1, max: 1 } });
    const counter = await system.spawn<CounterMessage>(
      new URL('../threads/counter-actor.js', import.meta.url),
      { mailbox: { maxMessages: messages + 1, maxBytes: Number.MAX_SAFE_INTEGER } },
    );
    return [
      await compare({
        what: 'messages of 100 B',
        unit: 'per_s',
        figure: 'median',
        rounds,
        warmups: 2,
        ours: { name: 'troupe tell', measure: () => tells(counter, messages) },
        baselines: [{ name: 'raw postMessage', measure: () => posts(bare.first, messages) }],
        targets: [{ id: 'T2', against: ['raw postMessage'], min: 1.2 }],
      }),
    ];
  },
};

async function tells(counter: ActorRef<CounterMessage>, count: number): Promise<readonly number[]> {
  const begun = performance.now();
  for (let sent = 0; sent < count; sent += 1) counter.tell(message);
  const total = await counter.ask({ type: 'total' }, { timeoutMs: 60_000 });
  const ms = performance.now() - begun;
  assert.equal(total, count, 'sum of the amounts');
  return [count / (ms / 1_000)];
}

async function posts(worker: Worker, count: number): Promise<readonly number[]> {
  const begun = performance.now();
  for (let sent = 0; sent < count; sent += 1) worker.postMessage(message);
  const total = await askBareThread(worker, { type: 'total' });
  const ms = performance.now() - begun;
  assert.equal(total, count, 'sum of the amounts');
  return [count / (ms / 1_000)];
}
