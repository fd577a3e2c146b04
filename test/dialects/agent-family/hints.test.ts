// Checks what a ReAct agent is told beside its input: long-term memory, knowledge, plans; and tools that it switches itself.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { msgText } from '#src/dialects/agent-family/base/msg.js';
import type {
  LongTermMemory,
  LongTermMemoryMode,
} from '#src/dialects/agent-family/react/long-term-memory.js';
import { PlanNotebook } from '#src/dialects/agent-family/react/plan-notebook.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { defineTool } from '#src/index.js';
import type { ModelRequest } from '#src/models/model.js';
import { lastTexts } from '../../supervisor/hook-support.ts';
import { answered } from '../../supervisor/support.ts';
import { arrange, inOrder, msg, texts } from './support.ts';

/** A long-term memory that writes down who called it. */
function recalling() {
  const calls: unknown[] = [];
  const recording = <Answer>(answer: Answer, ...call: unknown[]): Promise<Answer> => {
    calls.push(call);
    return Promise.resolve(answer);
  };
  const memory: LongTermMemory = {
    record: (messages) => recording(undefined, 'record', messages.map(msgText)),
    retrieve: (messages) => recording('Ada likes tea.', 'retrieve', messages.map(msgText)),
    recordToMemory: (_, content) => recording('kept', 'recordToMemory', content),
    retrieveFromMemory: (keywords) => recording('tea', 'retrieveFromMemory', keywords),
  };
  return { memory, calls };
}

const toolNames = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);
const plain = (name: string) =>
  defineTool({ name, description: `Is ${name}.`, input: z.object({}), run: () => `${name} ran` });

describe('long-term memory', () => {
  const tools = ['record_to_memory', 'retrieve_from_memory'];
  const retrieved = '<retrieved>\nAda likes tea.\n</retrieved>';

  it.each<[LongTermMemoryMode, readonly string[], boolean]>([
    ['agent_control', tools, false],
    ['static_control', [], true],
    ['both', tools, true],
  ])(
    'under %s offers %j, and is used by itself: %s (D14, D22)',
    async (mode, offered, isStatic) => {
      const { memory, calls } = recalling();
      const { host, model } = arrange([{ text: 'Tea.' }], {
        longTermMemory: memory,
        longTermMemoryMode: mode,
      });

      await host.reply(msg('What shall I drink?'));

      expect(toolNames(model.requests()[0])).toEqual(offered);
      const hinted = isStatic ? [retrieved] : [];
      expect(calls).toEqual(
        isStatic
          ? [
              ['retrieve', ['What shall I drink?']],
              ['record', ['What shall I drink?', ...hinted, 'Tea.']],
            ]
          : [],
      );
      expect(JSON.stringify(model.requests()[0]?.messages).includes('likes tea')).toBe(isStatic);
    },
  );

  it('is under both unless said otherwise, and the agent keeps and looks up by its tools (D13, D22)', async () => {
    const { memory, calls } = recalling();
    const { host, model } = arrange(
      [
        { toolCalls: [{ name: 'record_to_memory', input: { thinking: 'why', content: ['tea'] } }] },
        { toolCalls: [{ name: 'retrieve_from_memory', input: { keywords: ['Ada'] } }] },
        { text: 'Noted.' },
      ],
      { longTermMemory: memory },
    );

    await host.reply(msg('I am Ada and drink tea.'));

    expect(calls.map((call) => (call as unknown[])[0])).toEqual([
      'retrieve',
      'recordToMemory',
      'retrieveFromMemory',
      'record',
    ]);
    expect(answered(model)).toEqual([['tea', false]]);
  });

  it.each([true, false])(
    'prints what was retrieved with printHintMsg %s only (D14, D21)',
    async (printHintMsg) => {
      const { host, model, chunks } = arrange([{ text: 'Tea.' }], {
        knowledge: [
          { retrieve: async (query) => [`about ${query}`, ' '] },
          { retrieve: async () => [] },
        ],
        printHintMsg,
      });

      await host.reply(msg('tea'));

      const hint = '<retrieved>\nabout tea\n \n</retrieved>'.replace(' \n', '');
      expect(texts(chunks)).toEqual(printHintMsg ? [hint, 'Tea.'] : ['Tea.']);
      expect(JSON.stringify(model.requests()[0]?.messages)).toContain('about tea');
    },
  );
});

describe('a plan notebook', () => {
  const subtasks = ['boil', 'pour'].map((name) => ({ name, description: '', expectedOutcome: '' }));
  const plan = { name: 'tea', description: 'Make tea.', expectedOutcome: 'Tea.', subtasks };

  it('adds its tools and hints, which are printed when wanted and remembered nowhere (D21)', async () => {
    const planNotebook = new PlanNotebook();
    const { host, model, chunks } = arrange(
      [
        { toolCalls: [{ name: 'create_plan', input: plan }] },
        {
          toolCalls: [{ name: 'update_subtask_state', input: { index: 0, state: 'in_progress' } }],
        },
        { toolCalls: [{ name: 'finish_subtask', input: { index: 0, outcome: 'it boils' } }] },
        { text: 'Pouring.' },
      ],
      { planNotebook, printHintMsg: true },
    );

    await host.reply(msg('Make tea.'));

    expect(toolNames(model.requests()[0])).toEqual([
      'create_plan',
      'revise_current_plan',
      'update_subtask_state',
      'finish_subtask',
      'view_plans',
      'finish_plan',
    ]);
    const hints = lastTexts(model).map((message) =>
      message.at(-1)?.split('\n').at(-1)?.slice(0, 24),
    );
    expect(hints).toEqual([
      'You have no plan. For a ',
      'Subtask 0 is next: call ',
      'You are at subtask 0. Wh',
      'Subtask 1 is next: call ',
    ]);
    expect(texts(chunks).filter((text) => text.includes('Subtask 1 is next'))).toHaveLength(1);
    expect(JSON.stringify(host.memory.messages())).not.toContain('Subtask 1 is next');
    expect(planNotebook.plan?.subtasks.map(({ state }) => state)).toEqual(['done', 'todo']);
  });

  it('is a group of its own under the meta tool, off until the model switches it on (D21)', async () => {
    const toolkit = new Toolkit([plain('kettle')]);
    const model = inOrder([
      { calls: { reset_equipped_tools: { plan_related: true } } },
      { text: 'Planning.' },
    ]);
    const { host } = arrange([{ text: 'not asked' }], {
      planNotebook: new PlanNotebook(),
      toolkit,
      enableMetaTool: true,
      model,
    });

    await host.reply(msg('Make tea.'));

    expect(toolNames(model.asked[0])).toEqual(['kettle', 'reset_equipped_tools']);
    expect(toolNames(model.asked[1])).toEqual([
      'kettle',
      'create_plan',
      'revise_current_plan',
      'update_subtask_state',
      'finish_subtask',
      'view_plans',
      'finish_plan',
      'reset_equipped_tools',
    ]);
  });

  it('is part of the agent’s state (D11, D21)', async () => {
    const one = arrange(
      [{ toolCalls: [{ name: 'create_plan', input: plan }] }, { text: 'Planned.' }],
      { planNotebook: new PlanNotebook() },
    );
    await one.host.reply(msg('Make tea.'));
    const planNotebook = new PlanNotebook();
    const two = arrange([{ text: 'not asked' }], { planNotebook });

    two.host.loadStateDict(JSON.parse(JSON.stringify(one.host.stateDict())));

    expect(planNotebook.plan?.name).toBe('tea');
    expect(two.host.memory.messages()).toEqual(one.host.memory.messages());
  });
});

describe('tool groups', () => {
  function grouped() {
    const toolkit = new Toolkit([plain('base')]);
    toolkit.createGroup('sea', { description: 'Of the sea.', notes: 'Mind the tide.' });
    toolkit.createGroup('land', { description: 'Of the land.', isActive: true });
    toolkit.register(plain('swim'), 'sea');
    toolkit.register(plain('walk'), 'land');
    return toolkit;
  }

  it('the meta tool is offered when it is enabled only, with a switch per group (D13, D21)', async () => {
    const off = arrange([{ text: 'no' }], { toolkit: grouped() });
    const on = arrange([{ text: 'yes' }], { toolkit: grouped(), enableMetaTool: true });

    await off.host.reply(msg('go'));
    await on.host.reply(msg('go'));

    expect(toolNames(off.model.requests()[0])).toEqual(['base', 'walk']);
    expect(toolNames(on.model.requests()[0])).toEqual(['base', 'walk', 'reset_equipped_tools']);
    const meta = on.model.requests()[0]?.tools.at(-1);
    expect(Object.keys((meta?.inputSchema['properties'] ?? {}) as object)).toEqual(['sea', 'land']);
  });

  const answers = (...more: Parameters<typeof inOrder>[0]) =>
    inOrder([{ text: 'to sea', calls: { reset_equipped_tools: { sea: true } } }, ...more]);

  it('a switch holds from the next request of the same reply on, and what was said stays (D21)', async () => {
    const model = answers({ calls: { swim: {} } }, { text: 'Swam.' });
    const { host, chunks, watch } = arrange([{ text: 'not asked' }], {
      toolkit: grouped(),
      enableMetaTool: true,
      model,
      maxIters: 3,
    });

    const reply = await host.reply(msg('go'));

    expect(reply).toMatchObject({ content: 'Swam.', metadata: { turns: 3, exitReason: 'goal' } });
    expect(model.asked.map(toolNames)).toEqual([
      ['base', 'walk', 'reset_equipped_tools'],
      ['base', 'swim', 'reset_equipped_tools'],
      ['base', 'swim', 'reset_equipped_tools'],
    ]);
    const asked = JSON.stringify(model.asked[1]?.messages);
    expect(asked).toContain('Active tool groups: sea.\\nsea: Mind the tide.');
    expect(texts(chunks).join(' ')).toBe('to sea Swam.');
    expect(watch.of('task_started')).toHaveLength(2);
    expect(host.memory.messages().filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('at the last of maxIters a switch is followed by the closing message (D18, D21)', async () => {
    const model = answers({ text: 'I only packed.' });
    const { host } = arrange([{ text: 'not asked' }], {
      toolkit: grouped(),
      enableMetaTool: true,
      model,
      maxIters: 1,
    });

    const reply = await host.reply(msg('go'));

    expect(reply).toMatchObject({
      content: 'I only packed.',
      metadata: { exitReason: 'max_turns' },
    });
  });

  it('a switch keeps what is owed: the answer by schema comes from the run that goes on (D19, D21)', async () => {
    const model = answers({ calls: { generate_response: { km: 3 } } });
    const { host } = arrange([{ text: 'not asked' }], {
      toolkit: grouped(),
      enableMetaTool: true,
      model,
    });

    const reply = await host.reply(msg('go'), { outputSchema: z.object({ km: z.number() }) });

    expect(reply.metadata).toMatchObject({ structured: { km: 3 }, turns: 2 });
    expect(model.asked).toHaveLength(2);
  });

  it('which groups are on is part of the state; names that are wrong are refused (D11, D21)', () => {
    const [one, two] = [grouped(), grouped()];
    one.setActive(['sea'], true);
    one.setActive(['land'], false);
    two.loadStateDict(one.stateDict());

    expect(two.names()).toEqual(['base', 'swim']);
    expect(two.delete('swim')).toBe(true);
    expect(two.delete('swim')).toBe(false);
    two.deleteGroup('land');
    expect(two.groups().map(({ name }) => name)).toEqual(['sea']);
    expect(() => two.setActive(['air'], true)).toThrow(/no group "air"; it has: sea/);
    expect(() => two.createGroup('sea', { description: '' })).toThrow(/a group "sea" already/);
    expect(() => two.register(plain('base'))).toThrow(/two tools are named "base"/);
    expect(() => two.register(7 as never)).toThrow(
      expect.objectContaining({ code: 'invalid_tool' }),
    );
  });
});
