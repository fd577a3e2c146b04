// Checks that the dialects take what they are handed as it is then: scopes, a session's subagents, hubs, memories, agents.
import { describe, expect, it } from 'vitest';
import { MsgHub } from '#src/dialects/agent-family/base/hub.js';
import { createMsg, Memory } from '#src/dialects/agent-family/index.js';
import { type PromptConfig, SubAgentScope, scopeRuntime } from '#src/dialects/scope/index.js';
import { rejection, supervise, within } from '../supervisor/support.ts';
import { arrange as arrangeHost, Parrot } from './agent-family/support.ts';
import { arrange, run } from './scope/support.ts';
import { rig, textsOf } from './subagent-manager/rig.ts';

const userMessages = (text: string) => [
  { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] },
];

/** Changes every text of these messages. */
function change(messages: readonly { readonly content: unknown }[]): void {
  for (const { content } of messages) {
    for (const block of Array.isArray(content) ? content : []) {
      Object.assign(block, { text: 'CHANGED' });
    }
  }
}

describe('a scope', () => {
  it('is asked with its messages, its limits and its outputs as they were (B18)', async () => {
    const { create, model } = arrange([{ text: 'done' }, { text: 'done' }]);
    const initialMessages = [{ role: 'user' as const, content: 'as given' }];
    const prompt = { initialMessages };
    const outputs = { outputs: { title: 'a title' } };
    const limits = { max_time_minutes: 5, max_turns: 1 };
    const scope = await create({ prompt, outputs, run: limits });
    Object.assign(initialMessages[0] ?? {}, { content: 'CHANGED' });
    Object.assign(prompt, { systemPrompt: 'CHANGED' });
    Object.assign(outputs.outputs, { CHANGED: 'CHANGED' });
    Object.assign(limits, { max_turns: 2 });

    await run(scope);

    const sent = JSON.stringify(model.requests());
    expect(sent).toContain('as given');
    expect(sent).not.toContain('CHANGED');
    expect(model.requests()).toHaveLength(1);
  });

  it('is refused with the path of what is no data (M6, B18)', async () => {
    const { supervisor, model } = supervise({ default: [] });
    const initialMessages = [{ role: 'user', content: 'as given', [Symbol('s')]: 1 }];

    const made = SubAgentScope.create(
      'scope',
      scopeRuntime(supervisor.session('chat')),
      { initialMessages } as PromptConfig,
      { model },
      { max_time_minutes: 5 },
    );

    expect(await rejection(made)).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('prompt.initialMessages[0][Symbol(s)]'),
    });
  });
});

describe('a subagent of a session', () => {
  it('replays examples and messages as they were given, and tells copies of them (A51, A56)', async () => {
    const { manager, hand, model } = rig();
    const examples = userMessages('example as given');
    const messages = userMessages('history as given');
    await within(manager.create({ name: 'ada', examples }), 'the agent');
    manager.addHistory('ada', messages);
    change([...examples, ...messages]);
    change(manager.history('ada'));

    await hand('ada', 'one');

    const texts = textsOf(model.requests('one')[0]);
    expect(texts).toEqual(['history as given', 'Yes.', 'example as given', 'Yes.', 'one']);
  });

  it('refuses messages with the path of what is no data (M6, A51)', async () => {
    const { manager } = rig();
    await within(manager.create({ name: 'ada' }), 'the agent');
    const [message] = userMessages('as given');

    expect(() =>
      manager.addHistory('ada', [{ ...message, [Symbol('s')]: 1 }] as never),
    ).toThrowError(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining('[0][Symbol(s)]'),
      }),
    );
  });
});

const textBlocks = () => [{ type: 'text' as const, text: 'as given' }];
const message = () => createMsg({ name: 'user', role: 'user', content: textBlocks() });

describe('an agent of the family', () => {
  it('hears of a hub what was said when it was said, whatever another member makes of it (D8)', async () => {
    class Spoiler extends Parrot {
      override async observe(input?: Parameters<Parrot['observe']>[0]): Promise<void> {
        await super.observe(input);
        change(this.observed);
        change([input ?? []].flat());
      }
    }
    const [spoiler, last] = [new Spoiler({ name: 'spoiler' }), new Parrot({ name: 'last' })];
    const hub = new MsgHub([spoiler, last]);
    const broadcasted = message();

    const broadcast = hub.broadcast(broadcasted);
    change([broadcasted]);
    await within(broadcast, 'the broadcast');

    expect(JSON.stringify(last.observed)).toContain('as given');
    expect(JSON.stringify(last.observed)).not.toContain('CHANGED');
  });

  it('remembers what it observed and was asked as it was then (D2, D14)', async () => {
    const { host, model } = arrangeHost([{ text: 'done' }]);
    const [observed, asked] = [message(), message()];

    const observing = host.observe(observed);
    change([observed]);
    await within(observing, 'the observation');
    const replying = host.reply(asked);
    change([asked]);
    await within(replying, 'the reply');

    expect(JSON.stringify([host.memory.messages(), model.requests()])).not.toContain('CHANGED');
  });

  it('runs under the hooks that it was made with (D5)', async () => {
    const called: string[] = [];
    const hooks = { beforeTurn: () => void called.push('early') };
    const { host } = arrangeHost([{ text: 'done' }], { hooks });
    Object.assign(hooks, { beforeTurn: () => void called.push('late') });

    await within(host.reply(message()), 'the reply');

    expect(called).toEqual(['early']);
  });

  it('refuses messages with the path of what is no data (M6, D14)', () => {
    const metadata = { deep: [{ [Symbol('s')]: 1 }] };

    expect(() => createMsg({ name: 'a', role: 'user', content: 'x', metadata })).toThrowError(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining('message.metadata.deep[0][Symbol(s)]'),
      }),
    );
  });

  it('knows whether it remembers a message (D14)', () => {
    const memory = new Memory();
    const known = message();
    memory.add(known);

    expect([memory.has(known.id), memory.has('another')]).toEqual([true, false]);
  });
});
