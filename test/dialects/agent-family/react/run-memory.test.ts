// Checks that a ReAct agent's memory grows with its run, and that each request of the run is built from it.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { Memory } from '#src/dialects/agent-family/base/memory.js';
import { type Msg, msgText } from '#src/dialects/agent-family/base/msg.js';
import { chatFormatter, type Formatter } from '#src/dialects/agent-family/react/formatter.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { memoryHost } from '#src/dialects/agent-family/subagent/context-source.js';
import { defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { arrange, msg } from '../support.ts';

const textsOf = (messages: readonly Msg[]): readonly string[] =>
  messages.map((message) => `${message.name}: ${msgText(message)}`);

/** A tool that runs something in the middle of a reply, and answers with the text that comes of it, or one of its own. */
const during = (act: () => unknown) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    run: async () => {
      const found = await act();
      return typeof found === 'string' ? found : 'a comet';
    },
  });

const looks = { text: 'I look.', toolCalls: [{ name: 'look', input: {} }] };

describe('the memory of a ReAct agent', () => {
  it('grows with each committed turn, in the order of what was said (D14)', async () => {
    const memory = new Memory();
    const seen: (readonly Msg[])[] = [];
    const look = during(() => seen.push(memory.messages()));
    const { host } = arrange([looks, looks, { text: 'A comet, twice.' }], {
      memory,
      toolkit: new Toolkit([look]),
    });

    const reply = await host.reply(msg('What is there?'));

    expect(seen.map((messages) => messages.map(({ role }) => role))).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant', 'system', 'assistant'],
    ]);
    expect(memory.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'system',
      'assistant',
      'system',
      'assistant',
    ]);
    expect(memory.messages().at(-1)).toEqual(reply);
    expect(new Set(memory.messages().map(({ id }) => id)).size).toBe(6);
  });

  it('tells a subagent what its host has found in this very reply (D38)', async () => {
    const memory = new Memory();
    const bundles: unknown[] = [];
    const look = during(() => {
      const { contextOf } = memoryHost({ name: 'host', memory });
      const { recentToolResults, conversation } = contextOf({ agentId: 'a', callId: 'c' });
      bundles.push([recentToolResults, conversation.map(({ text }) => text)]);
    });
    const { host } = arrange([looks, looks, { text: 'done' }], {
      memory,
      toolkit: new Toolkit([look]),
    });

    await host.reply(msg('What is there?'));

    expect(bundles).toEqual([
      [[], ['What is there?', 'I look.']],
      [[{ tool: 'look', text: 'a comet' }], ['What is there?', 'I look.', 'I look.']],
    ]);
  });

  it('is what the next request says: an observed message is in its place, calls and results in pairs (D2, D14)', async () => {
    const memory = new Memory();
    const toolkit = new Toolkit();
    const { host, model } = arrange([looks, { text: 'done' }], { memory, toolkit });
    toolkit.register(during(() => host.observe(msg('It rains.', 'weather', 'assistant'))));

    await host.reply(msg('What is there?'));

    const [first, second] = model.requests();
    expect(JSON.stringify(first?.messages)).not.toContain('It rains.');
    expect(pairingFault(second?.messages ?? [])).toBeNull();
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user']);
    expect(second?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'weather: It rains.' },
    ]);
    expect(textsOf(memory.messages())).toEqual([
      'user: What is there?',
      'host: I look.',
      'weather: It rains.',
      'system: ',
      'host: done',
    ]);
  });

  it.each([
    ['everything', () => true],
    ['the question', ({ role }: Msg) => role === 'user'],
    ['its last words', ({ role }: Msg) => role === 'assistant'],
  ])(
    'can be made to forget %s in the middle of a reply, which goes on (D14)',
    async (_, isForgotten) => {
      const memory = new Memory();
      const forget = during(() => {
        memory.delete(memory.messages().flatMap((each) => (isForgotten(each) ? [each.id] : [])));
      });
      const { host, model } = arrange([looks, looks, { text: 'Forgotten.' }], {
        memory,
        toolkit: new Toolkit([forget]),
      });

      const reply = await host.reply(msg('What is there?'));

      expect(msgText(reply)).toBe('Forgotten.');
      for (const { messages } of model.requests()) {
        expect(pairingFault(messages)).toBeNull();
        expect(messages.at(-1)?.role).toBe('user');
      }
    },
  );

  it('is what this very request says when a hook of its reasoning adds to it or takes from it (D5, D14)', async () => {
    const memory = new Memory();
    const { host, model } = arrange([looks, { text: 'done' }], {
      memory,
      toolkit: new Toolkit([during(() => {})]),
    });
    let turns = 0;
    host.registerInstanceHook('pre_reasoning', 'notes', () => {
      turns += 1;
      if (turns === 2) memory.delete([memory.messages()[0]?.id ?? '']);
      memory.add(msg(`note ${turns}`));
      return null;
    });

    await host.reply(msg('What is there?'));

    const texts = model.requests().map(({ messages }) => JSON.stringify(messages));
    expect(texts[0]).toMatch(/What is there\?.*note 1/);
    expect(texts[1]).toMatch(/note 1.*a comet.*note 2/);
    expect(texts[1]).not.toContain('What is there?');
    expect(pairingFault(model.requests()[1]?.messages ?? [])).toBeNull();
  });

  it('is formatted anew for each request by a formatter of the program (D15)', async () => {
    const counts: number[] = [];
    const { host, model } = arrange([looks, { text: 'done' }], {
      toolkit: new Toolkit([during(() => {})]),
      formatter: (messages, agent) => {
        counts.push(messages.length);
        return chatFormatter(messages, agent);
      },
    });

    await host.reply(msg('What is there?'));

    expect(counts).toEqual([1, 1, 3]);
    expect(model.requests()[1]?.messages).toHaveLength(3);
  });

  it('sends the run’s own conversation while nothing else changes the memory (A38)', async () => {
    const { host, model } = arrange([looks, looks, { text: 'done' }], {
      toolkit: new Toolkit([during(() => {})]),
    });

    await host.reply(msg('What is there?'));

    const [first, second, third] = model.requests().map(({ messages }) => messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });

  const full = { throw: { status: 400, message: 'prompt is too long: 9 > 8' } };
  const cutOff = { ...looks, stopReason: 'model_context_window_exceeded' as const };

  it.each<[string, ScriptStep, Formatter]>([
    ['refused', full, chatFormatter],
    ['answered in part', cutOff, chatFormatter],
    ['refused, of a formatter of the program', full, (...asked) => chatFormatter(...asked)],
  ])(
    'keeps each message once when a request was %s for its length (D14)',
    async (_how, step, formatter) => {
      const memory = new Memory();
      const toolkit = new Toolkit();
      const agent = { memory, toolkit, formatter };
      const { host, model, chunks } = arrange([looks, step, { text: 'done' }], agent);
      toolkit.register(
        during(async () => {
          await host.observe(msg('It rains.', 'weather', 'assistant'));
          return 'page '.repeat(12_000);
        }),
      );

      const reply = await host.reply(msg('What is there?'));

      const kept = memory.messages();
      expect(kept.map(({ name }) => name)).toEqual(['user', 'host', 'weather', 'system', 'host']);
      expect(kept.at(-1)).toEqual(reply);
      const [, long, short] = model.requests().map(({ messages }) => messages);
      expect(JSON.stringify(short).length).toBeLessThan(JSON.stringify(long).length / 2);
      expect(JSON.stringify(short)).toContain('It rains.');
      expect(pairingFault(short ?? [])).toBeNull();
      // Under the ids they were printed under.
      const printed = chunks.map(({ messageId }) => messageId);
      const own = kept.flatMap(({ name, id }) => (name === 'host' ? [id] : []));
      expect(printed).toEqual(expect.arrayContaining(own));
    },
  );
});
