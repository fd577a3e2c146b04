// Checks hooks of base agents: what they are told and may change, of a class and of an instance, woven without a wrapper.
import { afterEach, describe, expect, it } from 'vitest';
import { AgentBase } from '#src/dialects/agent-family/base/agent-base.js';
import type { HookPoint } from '#src/dialects/agent-family/base/hook-types.js';
import type { Msg, MsgInput } from '#src/dialects/agent-family/base/msg.js';
import { rejection } from '../../supervisor/support.ts';
import { contents, msg, Parrot } from './support.ts';

class Macaw extends Parrot {}
class Crow extends Parrot {}

afterEach(() => {
  for (const each of [AgentBase, Parrot, Macaw, Crow]) each.clearClassHooks();
});

const basePoints: readonly HookPoint[] = [
  'pre_reply',
  'post_reply',
  'pre_print',
  'post_print',
  'pre_observe',
  'post_observe',
];

/** Registers a hook at every point of a base agent that writes the point down. */
function listen(agent: AgentBase, log: unknown[]): void {
  for (const point of basePoints) {
    agent.registerInstanceHook(point, 'log', (self: AgentBase) => {
      log.push([self.name, point]);
      return null;
    });
  }
}

describe('hook points', () => {
  it('come before and after reply, print and observe, in this order (D5)', async () => {
    const log: unknown[] = [];
    const polly = new Parrot({ name: 'polly' });
    listen(polly, log);

    await polly.reply(msg('hello'));
    await polly.observe(msg('psst'));

    expect(log).toEqual(
      [
        ['pre_reply', 'pre_print', 'post_print', 'post_reply'],
        ['pre_observe', 'post_observe'],
      ].flatMap((points) => points.map((point) => ['polly', point])),
    );
  });

  it('may change what is told and what comes of it, each going on from the one before (D5)', async () => {
    const polly = new Parrot({ name: 'polly' });
    polly.registerInstanceHook('pre_reply', 'shout', (_, { input, options }) => ({
      input: [input as Msg, msg('and more')],
      options,
    }));
    polly.registerInstanceHook('post_reply', 'one', (_, __, reply) => ({
      ...reply,
      content: `${reply.content}!`,
    }));
    polly.registerInstanceHook('post_reply', 'two', async (_, { input }, reply) => ({
      ...reply,
      content: `${reply.content} (${[input].flat().length})`,
    }));
    polly.registerInstanceHook('pre_observe', 'drop', () => ({ input: null }));

    const reply = await polly.reply(msg('hello'));
    await polly.observe(msg('psst'));

    expect(reply.content).toBe('polly heard hello, and more! (2)');
    expect(polly.observed).toEqual([]);
  });

  it('throw to the caller of what they are around (D5, D23)', async () => {
    const polly = new Parrot({ name: 'polly' });
    polly.registerInstanceHook('pre_reply', 'no', () => {
      throw new Error('not today');
    });

    expect(await rejection(polly.reply())).toMatchObject({ message: 'not today' });
    expect(polly.replies).toBe(0);
  });

  it('refuses a point there is not, a blank name and what is no function (D5)', () => {
    const polly = new Parrot({ name: 'polly' });
    const register = (...args: unknown[]) => Reflect.apply(polly.registerInstanceHook, polly, args);

    expect(() => register('pre_think', 'a', () => null)).toThrow(/no hook point "pre_think"/);
    expect(() => register('pre_reply', ' ', () => null)).toThrow(/is named " "/);
    expect(() => register('pre_reply', 'a', 'b')).toThrow(/hook a of pre_reply is "b"/);
  });
});

describe('hooks of a class and of an instance', () => {
  const marks = (mark: string) => (_: AgentBase, __: unknown, reply: Msg) => ({
    ...reply,
    content: `${reply.content}${mark}`,
  });
  const replyText = async (agent: AgentBase) => (await agent.reply()).content;

  it('those of an instance do not leak, those of a class hit all its instances (D6)', async () => {
    const [polly, loro] = [new Macaw({ name: 'polly' }), new Macaw({ name: 'loro' })];
    const crow = new Crow({ name: 'crow' });
    polly.registerInstanceHook('post_reply', 'own', marks(' own'));
    Macaw.registerClassHook('post_reply', 'class', marks(' macaw'));

    expect(await replyText(polly)).toBe('polly heard  own macaw');
    expect(await replyText(loro)).toBe('loro heard  macaw');
    expect(await replyText(crow)).toBe('crow heard ');
  });

  it('those of a class hit what extends it, living or not, ahead of its own (D6)', async () => {
    const old = new Macaw({ name: 'old' });
    Macaw.registerClassHook('post_reply', 'class', marks(' macaw'));
    Parrot.registerClassHook('post_reply', 'class', marks(' parrot'));

    expect(await replyText(old)).toBe('old heard  parrot macaw');
    expect(await replyText(new Crow({ name: 'new' }))).toBe('new heard  parrot');
    expect(await replyText(new Parrot({ name: 'base' }))).toBe('base heard  parrot');
  });

  it('removes and clears them, for both, and replaces one of the same name (D6)', async () => {
    const polly = new Macaw({ name: 'polly' });
    polly.registerInstanceHook('post_reply', 'a', marks(' a'));
    polly.registerInstanceHook('post_reply', 'a', marks(' A'));
    polly.registerInstanceHook('post_reply', 'b', marks(' b'));
    Macaw.registerClassHook('post_reply', 'c', marks(' c'));
    Macaw.registerClassHook('post_reply', 'd', marks(' d'));
    expect(await replyText(polly)).toBe('polly heard  A b c d');

    polly.removeInstanceHook('post_reply', 'b');
    Macaw.removeClassHook('post_reply', 'c');
    expect(await replyText(polly)).toBe('polly heard  A d');

    polly.clearInstanceHooks('post_print');
    expect(await replyText(polly)).toBe('polly heard  A d');
    polly.clearInstanceHooks();
    Macaw.clearClassHooks('post_reply');
    expect(await replyText(polly)).toBe('polly heard ');
    expect(() => polly.removeInstanceHook('post_reply', 'b')).toThrow(/has no hook "b"/);
    expect(() => Macaw.removeClassHook('post_reply', 'c')).toThrow(/has no hook "c"/);
  });
});

describe('weaving', () => {
  it('hooks the bare overridden methods of a subclass, once, super calls included (D7)', async () => {
    class Bare extends AgentBase {
      readonly notes: Msg[] = [];
      override async reply(input?: MsgInput): Promise<Msg> {
        await this.observe(input);
        return msg('bare', this.name, 'assistant');
      }
      override async observe(input?: MsgInput): Promise<void> {
        this.notes.push(...[input ?? []].flat());
      }
    }
    class Barer extends Bare {
      override async reply(input?: MsgInput): Promise<Msg> {
        const reply = await super.reply(input);
        await super.print(reply);
        await this.print(reply);
        return reply;
      }
    }
    const log: unknown[] = [];
    const agent = new Barer({ name: 'bare' });
    listen(agent, log);

    await agent.reply(msg('hello'));

    expect(contents(agent.notes)).toEqual(['hello']);
    expect(log.map((each) => (each as unknown[])[1])).toEqual([
      'pre_reply',
      'pre_observe',
      'post_observe',
      'pre_print',
      'post_print',
      'post_reply',
    ]);
  });

  it('a subclass that would lose its hooks fails when it is made (D7)', () => {
    class Field extends Parrot {
      override reply = async (): Promise<Msg> => msg('no hooks');
    }

    expect(() => new Field({ name: 'field' })).toThrow(TypeError);
  });
});
