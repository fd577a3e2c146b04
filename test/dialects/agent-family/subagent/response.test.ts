// Checks what comes back of a delegation: one response, the last; every failure a text; nothing else of the subagent.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MsgHub } from '#src/dialects/agent-family/base/hub.js';
import { MessageQueue } from '#src/dialects/agent-family/base/message-queue.js';
import { createMsg, msgText } from '#src/dialects/agent-family/base/msg.js';
import { exportAgent } from '#src/dialects/agent-family/subagent/export-agent.js';
import { defineTool } from '#src/index.js';
import { within } from '../../../supervisor/support.ts';
import {
  arrange,
  look,
  made,
  recordingLogger,
  resultsIn,
  scout,
  spec,
} from '../subagent-support.ts';
import { Parrot } from '../support.ts';

const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name) => ({ name, input: { query: `Ask ${name}.` } })),
});
const done = { text: 'done' };
const looks = { toolCalls: [{ name: 'look', input: { what: 'moon' } }] };
const withLook = { toolsAllowlist: ['look'] };

describe('the response of a subagent', () => {
  it('is one, the last, however many rounds it took, and says of whom it is (D51, D53)', async () => {
    const { registry, ask, responses, requestsOf } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [looks, looks, { text: 'it is far' }] },
    });
    await registry.register(scout(), spec('a', withLook));

    await ask();

    expect(requestsOf('a')).toHaveLength(3);
    expect(responses).toEqual([
      {
        content: [{ type: 'text', text: 'it is far' }],
        metadata: { subagent: 'a', supervisor: 'host' },
        stream: false,
        isLast: true,
      },
    ]);
  });

  it('leaves nothing of its rounds in the host’s queue, print, hub and memory (D45, D52)', async () => {
    const { registry, ask, host } = arrange({
      agents: {
        host: [calls('invoke_a'), done],
        a: [{ text: 'SECRET thought', ...looks }, { text: 'it is far' }],
      },
    });
    await registry.register(scout(), spec('a', withLook));
    const queue = new MessageQueue();
    host.setMessageQueueEnabled(true, queue);
    const member = new Parrot({ name: 'member' });
    const hub = new MsgHub([host, member]);

    await ask();

    const printed = queue.take().map(({ message }) => message);
    expect(printed.length).toBeGreaterThan(0);
    expect(printed.map(({ name }) => name)).not.toContain('a');
    expect(JSON.stringify([printed, member.observed, host.memory.messages()])).not.toContain(
      'SECRET',
    );
    expect(member.observed.map(({ name }) => name)).toEqual(['host']);
    const [, agent] = made;
    expect(agent?.messageQueue).toBeNull();
    expect(agent?.toolkit).not.toBe(host.toolkit);
    expect(agent?.memory).not.toBe(host.memory);
    hub.close();
  });

  it('has none of its host’s hooks (D45)', async () => {
    const { registry, ask, host } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [looks, done] },
    });
    await registry.register(scout(), spec('a', withLook));
    const hooked: string[] = [];
    host.registerInstanceHook('pre_reply', 'log', (agent) => void hooked.push(agent.name));
    host.registerInstanceHook('pre_acting', 'log', (agent, { name }) => {
      hooked.push(`${agent.name} ${name}`);
    });

    await ask();

    expect(hooked).toEqual(['host', 'host invoke_a']);
  });

  it('of several calls of one turn is its own, in the order of the calls, while they run together (D56)', async () => {
    const both: string[] = [];
    let release = (): void => {};
    const met = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet = defineTool({
      name: 'meet',
      description: 'Waits until both are here.',
      input: z.object({}),
      async run(_input, { agent }) {
        both.push(agent.name);
        if (both.length === 2) release();
        await met;
        return 'met';
      },
    });
    const meets = { toolCalls: [{ name: 'meet', input: {} }] };
    const { registry, ask, requestsOf } = arrange(
      {
        agents: {
          host: [calls('invoke_a', 'invoke_b'), done],
          a: [meets, { text: 'of a' }],
          b: [meets, { text: 'of b' }],
        },
      },
      { isParallel: true },
    );
    const Meeting = scout({ tools: () => [meet] });
    for (const name of ['a', 'b']) {
      await registry.register(Meeting, spec(name, { toolsAllowlist: ['meet'] }));
    }

    await ask();

    expect(both.toSorted()).toEqual(['a', 'b']);
    expect(resultsIn(requestsOf('host')[1])).toEqual(['of a', 'of b']);
    const [, , first, second] = made;
    expect(first?.memory).not.toBe(second?.memory);
    expect(JSON.stringify(requestsOf('a'))).not.toContain('Ask invoke_b');
  });

  it('is the only way out: the host’s memory and toolkit are what a plain tool would leave (D57)', async () => {
    const plain = arrange({ agents: { host: [{ toolCalls: looks.toolCalls }, done] } });
    plain.host.toolkit.register(look);
    await plain.ask();
    const { registry, ask, host } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [looks, done] },
    });
    await registry.register(scout(), spec('a', withLook));

    await ask();

    expect(host.memory.size).toBe(plain.host.memory.size);
    expect(host.toolkit.names()).toEqual(['invoke_a']);
  });

  it.each([
    [true, 0],
    [false, 3],
  ])('with ephemeralMemory %s leaves %i messages (D55)', async (ephemeralMemory, left) => {
    const { supervisor } = arrange({ agents: { a: [done] } });
    const agent = await exportAgent(scout(), {
      spec: spec('a'),
      permissions: { logger: recordingLogger(), supervisorName: 'host' },
      supervisor,
      ephemeralMemory,
    });
    const delegationContext = {
      task_summary: 'Look.',
      recent_events: [],
      long_term_refs: [],
      workspace_pointers: [],
      safety_flags: [],
    };

    await within(agent.delegate('Look.', { delegationContext }), 'the response');

    expect(agent.memory.size).toBe(left);
  });

  it('is not all there is: a subagent replies, observes and prints as any agent (D59)', async () => {
    const { supervisor, requestsOf } = arrange({ agents: { a: [{ text: 'hello' }] } });
    const Scout = scout();
    const agent = new Scout({
      name: 'a',
      supervisor,
      permissions: { logger: recordingLogger(), supervisorName: 'nobody' },
    });
    agent.setMessageQueueEnabled(true);
    await agent.observe(createMsg({ name: 'user', role: 'user', content: 'noted' }));

    const reply = await within(
      agent.reply(createMsg({ name: 'user', role: 'user', content: 'Hi.' })),
      'the reply',
    );

    expect(msgText(reply)).toBe('hello');
    expect(JSON.stringify(requestsOf('a')[0]?.messages)).toContain('noted');
    expect(agent.messageQueue?.take().map(({ message }) => msgText(message))).toContain('hello');
  });
});
