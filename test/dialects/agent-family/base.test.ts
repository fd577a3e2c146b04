// Checks the base agent: one reply, observing, printing what is new, interrupting. No model, no thread.
import { describe, expect, it } from 'vitest';
import { AgentBase } from '#src/dialects/agent-family/base/agent-base.js';
import { createMsg, isMsg, type Msg, type MsgInput } from '#src/dialects/agent-family/base/msg.js';
import { type PrintedChunk, PrintedPrefixes } from '#src/dialects/agent-family/base/printing.js';
import { rejection, within } from '../../supervisor/support.ts';
import { contents, Dreamer, msg, Parrot, texts } from './support.ts';

describe('an agent of the family', () => {
  it('replies with exactly one message (D1)', async () => {
    const reply = await new Parrot({ name: 'polly' }).reply(msg('hello'));

    expect(isMsg(reply)).toBe(true);
    expect(reply).toMatchObject({ name: 'polly', role: 'assistant', content: 'polly heard hello' });
  });

  it.each([
    ['several messages', [msg('one'), msg('two')]],
    ['a text', 'hello'],
    ['nothing', undefined],
  ])('refuses a reply that is %s (D1)', async (_, answer) => {
    class Odd extends AgentBase {
      // What a class in plain JavaScript may do, and no type allows.
      override reply = undefined as never;
    }
    class Wrong extends AgentBase {
      override async reply(): Promise<Msg> {
        return answer as unknown as Msg;
      }
    }

    const error = await rejection(new Wrong({ name: 'wrong' }).reply());

    expect(error).toMatchObject({ code: 'invalid_agent' });
    expect(() => new Odd({ name: 'odd' })).toThrow(TypeError);
  });

  it('refuses what a hook makes of a reply when it is no message (D1, D5)', async () => {
    const parrot = new Parrot({ name: 'polly' });
    parrot.registerInstanceHook('post_reply', 'text', () => 'a text' as never);

    expect(await rejection(parrot.reply(msg('hello')))).toMatchObject({ code: 'invalid_agent' });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'hello', 'got "hello"'],
    ['what is no message among messages', [msg('one'), { text: 'two' }], 'got {"text":"two"}'],
  ])('refuses %s as an input, saying what it got (D1, D2)', async (_, input, message) => {
    const refused = { code: 'invalid_options', message: expect.stringContaining(message) };

    const parrot = new Parrot({ name: 'polly' });
    expect(await rejection(parrot.reply(input as never))).toMatchObject(refused);
    expect(await rejection(parrot.observe(input as never))).toMatchObject(refused);
  });

  it('answers one input at a time, and the next when it is done (D1)', async () => {
    const dreamer = new Dreamer({ name: 'dreamer' });
    const first = dreamer.reply(msg('one'));

    expect(await rejection(dreamer.reply(msg('two')))).toMatchObject({ code: 'reply_in_flight' });
    dreamer.interrupt();
    await within(first, 'the interrupted reply');
    const second = dreamer.reply(msg('three'));
    expect(dreamer.interrupt()).toBe(true);
    expect((await second).metadata).toEqual({ interrupted: true });
  });

  it.each<[string, MsgInput, readonly string[]]>([
    ['a message', msg('one'), ['one']],
    ['several', [msg('one'), msg('two')], ['one', 'two']],
    ['none', null, []],
  ])('observes %s without a reply (D2)', async (_, input, kept) => {
    const parrot = new Parrot({ name: 'polly' });

    expect(await parrot.observe(input)).toBeUndefined();
    expect(contents(parrot.observed)).toEqual(kept);
    expect(parrot.replies).toBe(0);
  });
});

describe('printing', () => {
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'aW1n' },
  } as const;
  const sound = (data: string) =>
    ({ type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data } }) as const;
  const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: '' }) as const;
  const text = (value: string) => ({ type: 'text', text: value }) as const;
  const grown = (id: string, content: Msg['content']) =>
    createMsg({ id, name: 'polly', role: 'assistant', content });

  it('emits only what is new of texts, thoughts and sounds, and a picture once (D3)', async () => {
    const chunks: PrintedChunk[] = [];
    const parrot = new Parrot({ name: 'polly', output: (chunk) => chunks.push(chunk) });

    await parrot.print(grown('m', [thought('hm'), text('Hel'), sound('AA')]), false);
    await parrot.print(
      grown('m', [thought('hm, so'), text('Hello'), sound('AABB'), picture]),
      false,
    );
    await parrot.print(grown('m', [thought('hm, so'), text('Hello'), sound('AABB'), picture]));

    expect(chunks.map(({ index, block, isLast }) => [index, block, isLast])).toEqual([
      [0, thought('hm'), false],
      [1, text('Hel'), false],
      [2, sound('AA'), false],
      [0, thought(', so'), false],
      [1, text('lo'), false],
      [2, sound('BB'), false],
      [3, picture, false],
      [3, text(''), true],
    ]);
  });

  it('keeps the prefixes of each message apart, and forgets them with its last print (D3)', () => {
    const prefixes = new PrintedPrefixes();
    const next = (id: string, content: string, isLast: boolean) =>
      texts(prefixes.next(grown(id, content), isLast));

    expect(next('a', 'One', false)).toEqual(['One']);
    expect(next('b', 'Uno', false)).toEqual(['Uno']);
    expect(next('a', 'One two', false)).toEqual([' two']);
    expect(next('b', 'Uno dos', true)).toEqual([' dos']);
    expect(prefixes.size).toBe(1);
    expect(next('a', 'One two three', true)).toEqual([' three']);
    expect(prefixes.size).toBe(0);
    expect(next('a', 'One', true)).toEqual(['One']);
  });

  it('emits a text that was rewritten again, whole (D3)', () => {
    const prefixes = new PrintedPrefixes();
    prefixes.next(grown('a', 'Hullo'), false);

    expect(texts(prefixes.next(grown('a', 'Hello'), true))).toEqual(['Hello']);
  });
});

describe('interrupting', () => {
  it('makes the message of handleInterrupt the reply (D4)', async () => {
    class Polite extends Dreamer {
      override async handleInterrupt(input: MsgInput): Promise<Msg> {
        return msg(`Sorry, no answer to ${[input].flat().length} message`, this.name, 'assistant');
      }
    }
    const polite = new Polite({ name: 'polite' });

    const reply = polite.reply(msg('dream'));

    expect(polite.interrupt()).toBe(true);
    expect((await within(reply, 'the reply')).content).toBe('Sorry, no answer to 1 message');
  });

  it('says so when there is nothing to interrupt, and keeps a reply that is complete (D4)', async () => {
    const parrot = new Parrot({ name: 'polly' });

    expect(parrot.interrupt()).toBe(false);
    expect((await parrot.reply(msg('hello'))).content).toBe('polly heard hello');
    expect(parrot.interrupt()).toBe(false);
  });

  it('interrupts by a signal of the caller, also by one that is aborted already (D4)', async () => {
    const dreamer = new Dreamer({ name: 'dreamer' });
    const abort = new AbortController();
    const reply = dreamer.reply(msg('dream'), { signal: abort.signal });

    abort.abort();

    expect((await within(reply, 'the reply')).metadata).toEqual({ interrupted: true });
    const parrot = new Parrot({ name: 'polly' });
    const never = await parrot.reply(msg('hi'), { signal: abort.signal });
    expect(never.metadata).toEqual({ interrupted: true });
    expect(parrot.replies).toBe(0);
  });
});
