// Checks mail across the thread boundary: what an outbox holds, order in batches, asks between threads, bad messages.
import { describe, expect, it } from 'vitest';
import { behavior, next } from '#src/actor.js';
import {
  fixture,
  patienceMs,
  rejection,
  spawnProbe,
  testSystem,
  within,
} from '../support/systems.ts';

const timeoutMs = patienceMs;
const talker = fixture('talker');
const list = { list: true };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A buffer that is plain data by its looks and cannot be cloned. */
function detachedBuffer(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

async function pair(options: Parameters<typeof testSystem>[0] = {}) {
  const { system, reasons } = testSystem(options);
  const [sender, receiver] = [await system.spawn(talker), await system.spawn(talker)];
  const to = receiver.address;
  return { system, reasons, sender, receiver, to };
}

describe('an outbox', () => {
  it('throws outbox_full at 256 messages that nobody admitted yet (M5)', async () => {
    const { sender, receiver, to } = await pair();

    expect(await sender.ask({ tells: 1_000, to }, { timeoutMs })).toEqual({
      sent: 256,
      code: 'outbox_full',
      isRetryable: true,
    });
    expect(await receiver.ask(list, { timeoutMs })).toEqual(numbers(256));
  });

  it('throws outbox_full at 4 MiB (M5)', async () => {
    const { sender, to } = await pair();

    const result = await sender.ask({ tells: 100, bytes: 500_000, to }, { timeoutMs });

    expect(result).toEqual({ sent: 4, code: 'outbox_full', isRetryable: true });
  });

  it('has room again once its messages were admitted or refused (M5)', async () => {
    const { system, sender, receiver, to } = await pair();
    for (const _round of numbers(4)) {
      expect(await sender.ask({ tells: 256, to }, { timeoutMs })).toEqual({ sent: 256 });
    }
    expect(await receiver.ask(list, { timeoutMs })).toHaveLength(1_024);

    await within(receiver.stop(), 'the stop');
    for (const _round of numbers(4)) {
      expect(await sender.ask({ tells: 256, to }, { timeoutMs })).toEqual({ sent: 256 });
    }
    expect(system.ledger().refused).toBe(1_024);
  });

  it('lets an offer wait for room, and all of them arrive (M5)', async () => {
    const { system, reasons } = testSystem();
    const { ref: watcher, next: nextMessage } = spawnProbe(system);
    const receiver = await system.spawn(talker, { mailbox: { maxMessages: 4 } });
    const sender = await system.spawn(talker);
    receiver.pause();
    await within(receiver.interrupt(), 'nothing to be in hand');

    const question = { offers: 100, to: receiver.address, tell: watcher.address };
    const offered = sender.ask(question, { timeoutMs });
    expect(await nextMessage()).toBe('offered');
    expect(system.ledger().accepted).toBe(6);
    receiver.resume();

    const results = (await within(offered, 'the offers')) as string[];
    // Accepted is not processed: a question finds room when the last of them is.
    while (system.ledger().pending > 0) await new Promise((resolve) => setImmediate(resolve));

    expect(new Set(results)).toEqual(new Set(['accepted']));
    expect(await receiver.ask(list, { timeoutMs })).toEqual(numbers(100));
    expect(reasons()).toEqual({});
  });

  it('says full when no room came, and dead when the receiver is gone (M5)', async () => {
    const { system } = testSystem();
    const receiver = await system.spawn(talker, { mailbox: { maxMessages: 1 } });
    const sender = await system.spawn(talker);
    receiver.pause();
    await within(receiver.interrupt(), 'nothing to be in hand');

    const question = { offers: 2, timeoutMs: 1, to: receiver.address };
    expect(await sender.ask(question, { timeoutMs })).toEqual(['accepted', 'full']);
    await within(receiver.kill(), 'the kill');
    expect(await sender.ask(question, { timeoutMs })).toEqual(['dead', 'dead']);
  });
});

describe('order', () => {
  it('holds per sender through windows and batches (M3)', async () => {
    const { system, receiver, to } = await pair();
    const senders = await Promise.all(numbers(3).map(() => system.spawn(talker)));

    for (const at of numbers(200)) receiver.tell({ keep: `host ${at}` });
    await Promise.all(senders.map((sender) => sender.ask({ tells: 200, to }, { timeoutMs })));

    const kept = (await receiver.ask(list, { timeoutMs })) as (string | number)[];
    expect(kept.filter((value) => typeof value === 'string')).toEqual(
      numbers(200).map((at) => `host ${at}`),
    );
    const numbersKept = kept.filter((value) => typeof value === 'number');
    expect(numbersKept).toHaveLength(600);
    for (const at of numbers(200))
      expect(numbersKept.filter((value) => value === at)).toHaveLength(3);
  });
});

describe('asks between threads', () => {
  it('answers one actor by another (M7)', async () => {
    const { sender, to } = await pair();

    const answer = await sender.ask({ ask: { keep: 1, list: true }, to }, { timeoutMs });

    expect(answer).toEqual({ value: [1] });
  });

  it('rejects the ask that closes a cycle (M7)', async () => {
    const { sender, receiver, to } = await pair();

    const back = { ask: list, to: sender.address };
    const answer = await sender.ask({ ask: back, to }, { timeoutMs });

    expect(answer).toEqual({ value: 'deadlock' });
    expect(await receiver.ask(list, { timeoutMs })).toEqual([]);
  });

  it('settles at once when the other one dies (M7)', async () => {
    const { system, sender } = await pair();
    const victim = await system.spawn(fixture('obedient'));

    const crash = await sender.ask({ ask: { do: 'throw' }, to: victim.address }, { timeoutMs });

    expect(crash).toBe('crashed');
    const gone = await sender.ask({ ask: { do: 'report' }, to: victim.address }, { timeoutMs });
    expect(gone).toBe('actor_terminated');
  });

  it('drops a late reply, and the asker went on with ask_timeout (M7)', async () => {
    const { system, sender } = await pair();
    const slow = await system.spawn(fixture('obedient'));
    const later = { ask: { do: 'later' }, timeoutMs: 1, to: slow.address };

    expect(await sender.ask(later, { timeoutMs })).toBe('ask_timeout');
    slow.tell({ do: 'answer', value: 'too late' });

    expect(await slow.ask({ do: 'ignore' }, { timeoutMs }).catch(({ code }) => code)).toBe(
      'no_reply',
    );
    expect(await sender.ask(list, { timeoutMs })).toEqual([]);
  });
});

describe('what cannot be cloned', () => {
  it('loses the one message of a batch that cannot cross, and no other (M6)', async () => {
    const { system, reasons } = testSystem();
    const receiver = await system.spawn(talker);

    receiver.tell({ keep: 1 });
    receiver.tell({ keep: 2, buffer: detachedBuffer() });
    receiver.tell({ keep: 3 });

    expect(await receiver.ask(list, { timeoutMs })).toEqual([1, 3]);
    expect(reasons()).toEqual({ clone_failed: 1 });
  });

  it('goes on behind a whole window of them (M6)', async () => {
    const { system, reasons } = testSystem();
    const receiver = await system.spawn(talker, { window: 1 });

    for (const _each of numbers(70)) receiver.tell({ buffer: detachedBuffer() });
    const answer = receiver.ask(list, { timeoutMs });

    expect(await within(answer, 'the message behind')).toEqual([]);
    expect(reasons()).toEqual({ clone_failed: 70 });
  });

  it('rejects the ask that cannot cross (M6, M7)', async () => {
    const { system } = testSystem();
    const receiver = await system.spawn(talker);

    const error = await rejection(receiver.ask({ buffer: detachedBuffer() }, { timeoutMs }));

    expect(error.code).toBe('clone_failed');
  });

  it('fails the ask of a thread whose answer cannot cross (M6)', async () => {
    const { system, sender } = await pair();
    const answers = behavior<null>({
      start: () => null,
      receive: (state, _message, self) => {
        self.reply({ buffer: detachedBuffer() });
        return next(state);
      },
    });
    const inline = system.spawnInline(answers);

    const answer = await sender.ask({ ask: {}, to: inline.address }, { timeoutMs });

    expect(answer).toBe('clone_failed');
  });

  it.each(['tell', 'reply', 'throw'])(
    'ends the activation that sends it by a %s (M6)',
    async (detached) => {
      const { sender, receiver, to } = await pair();

      const error = await rejection(sender.ask({ detached, to }, { timeoutMs }));

      expect(error.code).toBe(detached === 'throw' ? 'crashed' : 'not_serializable');
      expect((await rejection(sender.ask(list, { timeoutMs }))).code).toBe('actor_terminated');
      expect(await receiver.ask(list, { timeoutMs })).toEqual([]);
    },
  );
});

describe('a slip of an actor', () => {
  it.each([
    ['tell', 'invalid_options'],
    ['endlessAsk', 'ask_without_deadline'],
    ['noDeadline', 'ask_without_deadline'],
    ['offer', 'invalid_options'],
    ['timer', 'invalid_options'],
    ['child', 'invalid_options'],
    ['notAUrl', 'invalid_options'],
  ])('is thrown at it by %s, and is no crash (M7, M5)', async (wrong, code) => {
    const { system } = testSystem();
    const ref = await system.spawn(talker);

    expect(await ref.ask({ wrong }, { timeoutMs })).toBe(code);
    expect(await ref.ask(list, { timeoutMs })).toEqual([]);
  });
});
