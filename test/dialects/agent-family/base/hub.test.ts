// Checks hubs and queues: who observes a reply, what is printed into a queue, one stream over several agents.
import { describe, expect, it } from 'vitest';
import { MsgHub } from '#src/dialects/agent-family/base/hub.js';
import { MessageQueue } from '#src/dialects/agent-family/base/message-queue.js';
import { createMsg } from '#src/dialects/agent-family/base/msg.js';
import { streamPrinted } from '#src/dialects/agent-family/base/stream.js';
import { rejection, within } from '../../../supervisor/support.ts';
import { contents, Dreamer, msg, Parrot } from '../support.ts';

const flock = (...names: readonly string[]) => names.map((name) => new Parrot({ name }));

describe('a hub', () => {
  it('lets the other members observe a reply, and not the sender (D8)', async () => {
    const [ann, ben, eve, far] = flock('ann', 'ben', 'eve', 'far');
    if (!ann || !ben || !eve || !far) throw new Error('four birds');
    const hub = new MsgHub([ann, ben, eve]);

    const reply = await ann.reply(msg('hello'));

    expect(ann.observed).toEqual([]);
    expect(ben.observed).toEqual([reply]);
    expect(eve.observed).toEqual([reply]);
    expect(far.observed).toEqual([]);
    hub.close();
    await ann.reply(msg('again'));
    expect(ben.observed).toEqual([reply]);
  });

  it('has every member observe the announcement it is opened with (D8)', async () => {
    const birds = flock('ann', 'ben');
    class Deaf extends Parrot {
      override async observe(): Promise<void> {
        throw new Error('deaf');
      }
    }

    const announcement = msg('It begins.');
    using hub = await MsgHub.open(birds, { name: 'hub', announcement });
    const [ann] = birds;
    const failed = MsgHub.open([new Parrot({ name: 'eve' }), new Deaf({ name: 'deaf' })], {
      announcement,
    });

    expect(hub.name).toBe('hub');
    expect(birds.map(({ observed }) => contents(observed))).toEqual([
      ['It begins.'],
      ['It begins.'],
    ]);
    expect(await rejection(failed)).toMatchObject({ message: 'deaf' });
    await ann?.reply(msg('hello'));
    expect(birds[1]?.observed).toHaveLength(2);
  });

  it('takes members in and out, stops by itself to broadcast, and broadcasts on demand (D8)', async () => {
    const [ann, ben, eve] = flock('ann', 'ben', 'eve');
    if (!ann || !ben || !eve) throw new Error('three birds');
    const hub = new MsgHub([ann, ben], { name: 'hub' });
    hub.add([eve, ann]);
    hub.delete(ben);
    expect(hub.members).toEqual([ann, eve]);
    await ben.reply(msg('out'));
    await ann.reply(msg('in'));
    expect([ann, ben, eve].map(({ observed }) => observed.length)).toEqual([0, 0, 1]);

    hub.setAutoBroadcast(false);
    await ann.reply(msg('quiet'));
    await hub.broadcast(msg('all'));

    expect([ann, ben, eve].map(({ observed }) => contents(observed).at(-1))).toEqual([
      'all',
      undefined,
      'all',
    ]);
    expect(() => hub.delete(ben)).toThrow(/ben is no member/);
    expect(() => hub.add({} as never)).toThrow(/is no agent/);
  });

  it('broadcasts what was said instead of an interrupted reply (D4, D8)', async () => {
    const dreamer = new Dreamer({ name: 'dreamer' });
    const [ann] = flock('ann');
    if (!ann) throw new Error('one bird');
    using _hub = new MsgHub([dreamer, ann]);
    const reply = dreamer.reply(msg('dream'));

    dreamer.interrupt();

    expect(ann.observed).toEqual([]);
    expect([await within(reply, 'the reply')]).toEqual(ann.observed);
  });

  it.each<[string, (agent: Parrot, caller: AbortController) => unknown]>([
    ['an interrupt', (agent) => agent.interrupt()],
    ['its caller’s signal', (_, caller) => caller.abort()],
  ])(
    'ends the wait for a member that hangs by %s, and tells the others (D4, D8)',
    async (_, end) => {
      const [ann, ben, eve] = flock('ann', 'ben', 'eve');
      if (!ann || !ben || !eve) throw new Error('three birds');
      using _hub = new MsgHub([ann, ben, eve]);
      const observes = new Promise<void>((resolve) => {
        ben.registerInstanceHook('pre_observe', 'hang', () => {
          resolve();
          return new Promise<null>(() => {});
        });
      });
      const caller = new AbortController();
      const reply = ann.reply(msg('hello'), { signal: caller.signal });
      await within(observes, 'the member that hangs');

      end(ann, caller);

      expect((await within(reply, 'the reply')).content).toBe('ann heard hello');
      expect(contents(eve.observed)).toEqual(['ann heard hello']);
      expect(ann.interrupt()).toBe(false);
      ben.clearInstanceHooks();
      expect((await ann.reply(msg('again'))).content).toBe('ann heard again');
    },
  );
});

describe('a queue of printed messages', () => {
  it('is off by default, and gets what is printed while it is on (D9)', async () => {
    const [polly] = flock('polly');
    if (!polly) throw new Error('one bird');
    await polly.reply(msg('unheard'));
    expect(polly.messageQueue).toBeNull();

    const queue = new MessageQueue();
    polly.setMessageQueueEnabled(true, queue);
    const reply = await polly.reply(msg('hello'));
    polly.setMessageQueueEnabled(false);
    await polly.reply(msg('unheard'));

    expect(queue.take()).toEqual([{ message: reply, isLast: true }]);
    polly.setMessageQueueEnabled(true);
    expect(polly.messageQueue).not.toBe(queue);
  });

  it('keeps growing messages apart until it is full, then in one entry (D9)', () => {
    const queue = new MessageQueue(2);
    const push = (id: string, content: string, isLast: boolean) =>
      queue.push({ message: createMsg({ id, name: 'p', role: 'assistant', content }), isLast });

    push('a', 'o', false);
    push('a', 'on', false);
    push('a', 'one', false);
    push('a', 'one.', true);
    push('b', 't', false);
    push('b', 'two', true);

    expect(contents(queue.take().map(({ message }) => message))).toEqual(['o', 'one.', 'two']);
    queue.end();
    expect(push('c', 'three', true)).toBe(false);
    expect(queue.size).toBe(0);
    expect(() => new MessageQueue(0)).toThrow(/capacity is 0/);
  });
});

describe('a queue of several agents without a reader', () => {
  it('holds no more of messages that grow side by side than the newest of each (D9, D10)', () => {
    const queue = new MessageQueue(4);
    const push = (id: string, content: string, isLast = false) =>
      queue.push({ message: createMsg({ id, name: 'p', role: 'assistant', content }), isLast });

    for (let length = 1; length <= 50; length += 1) {
      push('a', 'a'.repeat(length));
      push('b', 'b'.repeat(length));
    }
    push('a', 'a.', true);

    expect(queue.size).toBe(4);
    const newest = contents(queue.take().map(({ message }) => message)).slice(-2);
    expect(newest).toEqual(['b'.repeat(50), 'a.']);
  });
});

describe('one stream over several agents', () => {
  it('yields what they print as they print it and ends with their task (D10)', async () => {
    const [ann, ben] = flock('ann', 'ben');
    if (!ann || !ben) throw new Error('two birds');
    const received: unknown[] = [];

    for await (const { message, isLast } of streamPrinted([ann, ben], async () => {
      await ben.reply(await ann.reply(msg('hello')));
    })) {
      received.push([message.name, message.content, isLast]);
      expect(ann.messageQueue).toBe(ben.messageQueue);
      expect(ann.messageQueue).not.toBeNull();
    }

    expect(received).toEqual([
      ['ann', 'ann heard hello', true],
      ['ben', 'ben heard ann heard hello', true],
    ]);
    expect([ann.messageQueue, ben.messageQueue]).toEqual([null, null]);
  });

  it('leaves an agent the queue it had before (D9, D10)', async () => {
    const [ann, ben] = flock('ann', 'ben');
    if (!ann || !ben) throw new Error('two birds');
    const queue = new MessageQueue();
    ann.setMessageQueueEnabled(true, queue);
    const received: unknown[] = [];

    for await (const { message } of streamPrinted([ann, ben], () => ann.reply(msg('in')))) {
      received.push(message.content);
    }
    await ann.reply(msg('after'));

    expect(received).toEqual(['ann heard in']);
    expect(contents(queue.take().map(({ message }) => message))).toEqual(['ann heard after']);
    expect([ann.messageQueue, ben.messageQueue]).toEqual([queue, null]);
  });

  it('throws what its task throws, after what was printed (D10)', async () => {
    const [ann] = flock('ann');
    if (!ann) throw new Error('one bird');
    const received: unknown[] = [];
    const read = async () => {
      const stream = streamPrinted([ann], async () => {
        await ann.reply(msg('hello'));
        throw new Error('out of breath');
      });
      for await (const { message } of stream) received.push(message.content);
    };

    expect(await rejection(within(read(), 'the end'))).toMatchObject({ message: 'out of breath' });
    expect(received).toEqual(['ann heard hello']);
  });

  it('interrupts its agents when its reader leaves (D10)', async () => {
    const dreamer = new Dreamer({ name: 'dreamer' });
    let reply: Promise<unknown> = Promise.resolve();
    const stream = streamPrinted([dreamer], async (signal) => {
      await dreamer.print(msg('zzz', 'dreamer', 'assistant'));
      reply = dreamer.reply(msg('dream'));
      await reply;
      signal.throwIfAborted();
    });

    for await (const _ of stream) break;

    expect(await within(reply, 'the reply')).toMatchObject({ metadata: { interrupted: true } });
    expect(dreamer.messageQueue).toBeNull();
  });
});
