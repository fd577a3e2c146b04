// Checks the module form of an agent's class: it runs in a thread of its own, its hooks and subscribers here.
import { threadId } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createActorSystem } from '#src/actor.js';
import { MsgHub } from '#src/dialects/agent-family/base/hub.js';
import { ModuleAgent } from '#src/dialects/agent-family/base/module-agent.js';
import type { PrintedChunk } from '#src/dialects/agent-family/base/printing.js';
import { rejection, within } from '../../../supervisor/support.ts';
import { msg, Parrot, texts } from '../support.ts';

const module = new URL('../../../fixtures/agents/counting.js', import.meta.url);
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await within(each.close(), 'close');
});

async function counting(options: { readonly args?: readonly unknown[] } = {}) {
  const system = createActorSystem({ graces: { interruptGraceMs: 50, stopGraceMs: 50 } });
  open.push(system);
  const chunks: PrintedChunk[] = [];
  const output = (chunk: PrintedChunk) => chunks.push(chunk);
  const agent = await ModuleAgent.start({ name: 'counter', system, module, output, ...options });
  return { agent, chunks };
}

describe('an agent’s class in a module', () => {
  it('answers and observes in a thread of its own, where its fields stay (D1, D2)', async () => {
    const { agent, chunks } = await counting({ args: [10] });

    await agent.observe([msg('a'), msg('b')]);
    const reply = await agent.reply(msg('c'));

    expect(reply.content).toBe('heard 13');
    expect(reply.metadata['threadId']).not.toBe(threadId);
    expect((await agent.reply()).content).toBe('heard 13');
    expect(texts(chunks)).toEqual(['heard 13', 'heard 13']);
  });

  it('has its hooks and its hub here (D5, D7, D8)', async () => {
    const { agent } = await counting();
    const parrot = new Parrot({ name: 'polly' });
    using _hub = new MsgHub([agent, parrot]);
    agent.registerInstanceHook('post_reply', 'mark', (_, __, reply) => ({
      ...reply,
      content: `${reply.content}!`,
    }));

    const reply = await agent.reply(msg('a'));
    await parrot.reply(msg('b'));

    expect(reply.content).toBe('heard 1!');
    expect(parrot.observed).toEqual([reply]);
    expect((await agent.reply(msg('c'))).content).toBe('heard 3!');
  });

  it('refuses an output schema before its class is called (D1, D19)', async () => {
    const { agent } = await counting();
    const outputSchema = z.object({ count: z.number() });

    expect(await rejection(agent.reply(msg('a'), { outputSchema }))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('agent counter has no model to answer by a schema'),
    });
    expect((await agent.reply(msg('b'))).content).toBe('heard 1');
  });

  it('an interrupt ends the call in the thread, and its message is the reply (D4)', async () => {
    const { agent } = await counting();
    const reply = agent.reply(msg('hang'));
    await Promise.resolve();
    agent.interrupt();

    expect((await within(reply, 'the reply')).metadata).toEqual({ interrupted: true });
  });

  it('an interrupt does not wait for a hook before the call, which then calls nothing (D4)', async () => {
    const { agent } = await counting();
    let goOn = (): void => {};
    const hooked = new Promise<void>((resolve) => {
      agent.registerInstanceHook('pre_reply', 'slow', () => {
        resolve();
        return new Promise<null>((end) => {
          goOn = () => end(null);
        });
      });
    });
    const reply = agent.reply(msg('a'));
    await hooked;
    agent.interrupt();

    expect((await within(reply, 'the reply')).metadata).toEqual({ interrupted: true });
    goOn();
    agent.clearInstanceHooks();
    expect((await agent.reply(msg('b'))).content).toBe('heard 1');
  });

  it('rejects what the class throws, a reply that is no message, and a thread that is gone (D1, D23)', async () => {
    const { agent } = await counting();

    expect(await rejection(agent.reply(msg('fail')))).toMatchObject({
      message: expect.stringContaining('lost count'),
    });
    expect(await rejection(agent.reply(msg('nonsense')))).toMatchObject({ code: 'invalid_agent' });
    await agent.stop();
    expect(await rejection(agent.reply(msg('a')))).toMatchObject({ code: 'actor_terminated' });
  });
});
