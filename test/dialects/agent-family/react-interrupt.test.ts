// Checks interrupts and hooks of ReAct agents on real threads: what becomes of the run, the memory, and the prints.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Msg } from '#src/dialects/agent-family/base/msg.js';
import type { ReplyTask, TaskRunner } from '#src/dialects/agent-family/react/runner.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { defineTool } from '#src/index.js';
import { hookFixture, lastTexts } from '../../supervisor/hook-support.ts';
import { answered, rejection, within } from '../../supervisor/support.ts';
import { until } from '../../support/until.ts';
import { arrange, contents, msg, texts } from './support.ts';

describe('an interrupted ReAct agent', () => {
  const waits = defineTool({
    name: 'waits',
    description: 'Waits for its interrupt.',
    input: z.object({}),
    run: (_, { signal }) =>
      new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  });

  it('ends its run, keeps what was said, and replies with the interrupt message (D4)', async () => {
    const { host, watch, chunks, supervisor } = arrange(
      [{ text: 'thinking of', toolCalls: [{ name: 'waits', input: {} }] }],
      { toolkit: new Toolkit([waits]) },
    );
    const reply = host.reply(msg('think'));
    await watch.next('tool_started');

    expect(host.interrupt('enough')).toBe(true);

    const message = await within(reply, 'the reply');
    expect(message).toMatchObject({ name: 'host', metadata: { interrupted: true } });
    expect(watch.of('task_completed').map(({ outcome }) => outcome.status)).toEqual([
      'interrupted',
    ]);
    expect(supervisor.tree()).toEqual([]);
    expect(texts(chunks).at(-1)).toBe(message.content);
    const kept = host.memory.messages();
    expect(kept.at(-1)).toEqual(message);
    expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'assistant']);
  });

  it('an interrupt from the supervisor is one of the reply (D4)', async () => {
    const { host, watch, supervisor } = arrange([{ text: 'thinking', hang: true }]);
    const reply = host.reply(msg('think'));
    const { taskId = '' } = await watch.next('turn_started');

    await supervisor.interrupt(taskId);

    expect((await within(reply, 'the reply')).metadata).toEqual({ interrupted: true });
  });

  it('can be asked again afterwards, in the same conversation (D4)', async () => {
    const { host, model } = arrange([{ text: 'thinking', hang: true }]);
    const asked = (count: number) =>
      until(() => (model.requests().length === count ? true : null), `request ${count}`);
    const reply = host.reply(msg('think'));
    await asked(1);
    host.interrupt();
    await within(reply, 'the reply');

    const second = host.reply(msg('and now?'));
    await asked(2);
    host.interrupt();
    await within(second, 'the second reply');

    const roles = model.requests()[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user']);
  });
});

describe('a ReAct agent that is interrupted ahead of its run', () => {
  it('begins none later, and keeps nothing that was still looked up (D4, D14)', async () => {
    const asked: ((known: readonly string[]) => void)[] = [];
    let hear = (): void => {};
    const lookUp = () =>
      new Promise<void>((resolve) => {
        hear = resolve;
      });
    const retrieve = () =>
      new Promise<readonly string[]>((resolve) => {
        asked.push(resolve);
        hear();
      });
    const { host, model, watch } = arrange([{ text: 'Hello.' }], { knowledge: [{ retrieve }] });
    const first = lookUp();
    const reply = host.reply(msg('think'));
    await within(first, 'the first look-up');
    host.interrupt();
    await within(reply, 'the reply');

    const again = lookUp();
    const second = host.reply(msg('and now?'));
    await within(again, 'the second look-up');
    for (const [index, answer] of asked.entries()) answer(index === 0 ? ['a late fact'] : []);
    await within(second, 'the second reply');

    expect(watch.of('task_started')).toHaveLength(1);
    expect(JSON.stringify(model.requests().map(({ messages }) => messages))).not.toContain('late');
    expect(JSON.stringify(host.memory.messages())).not.toContain('late');
  });
});

describe('hooks of a ReAct agent', () => {
  const greet = defineTool({
    name: 'greet',
    description: 'Greets.',
    input: z.object({ name: z.string() }),
    run: ({ name }) => `hello ${name}`,
  });
  const steps = [
    { text: 'greeting', toolCalls: [{ name: 'greet', input: { name: 'Ada' } }] },
    { text: 'done' },
  ];

  it('come around reasoning and acting, and may change hints, inputs and results (D5)', async () => {
    const { host, model } = arrange(steps, { toolkit: new Toolkit([greet]) });
    const log: unknown[] = [];
    host.registerInstanceHook('pre_reasoning', 'hint', (_, args) => {
      log.push(['pre_reasoning', args.turn]);
      return { ...args, hint: `turn ${args.turn}` };
    });
    host.registerInstanceHook('post_reasoning', 'log', (_, { turn, hint }, message) => {
      log.push(['post_reasoning', turn, hint, (message as Msg).name]);
      return null;
    });
    host.registerInstanceHook('pre_acting', 'rename', (_, args) => {
      log.push(['pre_acting', args.name, args.input]);
      return { ...args, input: { name: 'Grace' } };
    });
    host.registerInstanceHook('post_acting', 'shout', (_, args, { result, isError }) => {
      log.push(['post_acting', args.input, result]);
      return { result: `${result}!`, isError };
    });

    await host.reply(msg('greet'));

    expect(log).toEqual([
      ['pre_reasoning', 1],
      ['post_reasoning', 1, 'turn 1', 'host'],
      ['pre_acting', 'greet', { name: 'Ada' }],
      ['post_acting', { name: 'Grace' }, 'hello Grace'],
      ['pre_reasoning', 2],
      ['post_reasoning', 2, 'turn 2', 'host'],
    ]);
    expect(answered(model)).toEqual([['hello Grace!', false]]);
    expect(lastTexts(model)).toEqual([['greet', 'turn 1'], ['turn 2']]);
    expect(JSON.stringify(contents(host.memory.messages()))).not.toContain('turn 1');
  });

  it('a module of them runs in the agent’s thread, after those of the agent (D5)', async () => {
    const { host, model } = arrange(steps, {
      toolkit: new Toolkit([greet]),
      hooks: hookFixture('marking'),
    });
    host.registerInstanceHook('pre_reasoning', 'hint', (_, args) => ({ ...args, hint: 'host' }));

    await host.reply(msg('greet'));

    expect(lastTexts(model)).toEqual([
      ['greet', 'host\n\nmodule at turn 1'],
      ['host\n\nmodule at turn 2'],
    ]);
    expect(answered(model)).toEqual([['hello Ada (seen by the module)', false]]);
  });

  it('without hooks of reasoning and acting its run has the one of its memory alone (D5)', async () => {
    const { host, supervisor } = arrange(steps, { toolkit: new Toolkit([greet]) });
    const tasks: ReplyTask[] = [];
    const runner: TaskRunner = {
      start: (task) => {
        tasks.push(task);
        return supervisor.start(task);
      },
      on: (type, listener) => supervisor.on(type, listener),
      transcript: (taskId) => supervisor.transcript(taskId),
    };
    const { host: watched } = arrange(steps, { toolkit: new Toolkit([greet]), supervisor: runner });
    host.registerInstanceHook('pre_acting', 'of another', () => null);
    watched.registerInstanceHook('post_reply', 'log', () => null);

    await watched.reply(msg('greet'));

    expect(tasks.map(({ agent }) => agent.hooks)).toEqual([
      [{}, { beforeTurn: expect.any(Function) }],
    ]);
  });

  it.each(['pre_reasoning', 'post_reasoning', 'pre_acting', 'post_acting'] as const)(
    'what %s throws is what the reply rejects with (D23)',
    async (point) => {
      const { host } = arrange(steps, { toolkit: new Toolkit([greet]) });
      host.registerInstanceHook(point, 'no', () => {
        throw new Error('not today');
      });

      expect(await rejection(host.reply(msg('greet')))).toMatchObject({ code: 'hook_failed' });
    },
  );

  it('what a print throws is what the reply rejects with (D23)', async () => {
    const { host } = arrange(steps, { toolkit: new Toolkit([greet]) });
    host.registerInstanceHook('pre_print', 'no', () => {
      throw new Error('out of ink');
    });

    expect(await rejection(host.reply(msg('greet')))).toMatchObject({ message: 'out of ink' });
  });
});
