// Checks what a call tells a subagent of its host: compressed once, kept with the host, and nothing else.
import { describe, expect, it } from 'vitest';
import { msgText } from '#src/dialects/agent-family/base/msg.js';
import type { ContextBundle } from '#src/dialects/agent-family/subagent/context.js';
import { transcriptHost } from '#src/dialects/agent-family/subagent/context-source.js';
import { exportAgent } from '#src/dialects/agent-family/subagent/export-agent.js';
import { SubagentRegistry } from '#src/dialects/agent-family/subagent/registry.js';
import { SubAgentBase } from '#src/dialects/agent-family/subagent/subagent-base.js';
import { supervise, within } from '../../../supervisor/support.ts';
import { arrange, recordingLogger, resultsIn, scout, spec } from '../subagent-support.ts';

const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name) => ({ name, input: { query: `Ask ${name}.` } })),
});
const done = { text: 'done' };
const marker = 'MARKER of long ago';

/** A class whose compressions are counted. */
function counted() {
  const seen: { readonly parent: ContextBundle; readonly task: string }[] = [];
  class Counted extends scout() {
    static override preContextCompress(parent: ContextBundle, task: string) {
      seen.push({ parent, task });
      return SubAgentBase.preContextCompress(parent, task);
    }
  }
  return { Counted, seen };
}

describe('the context of a call', () => {
  it('is compressed by the host, once per call, for each call anew (D38, D40)', async () => {
    const { Counted, seen } = counted();
    const { registry, ask } = arrange({
      agents: { host: [calls('invoke_a'), calls('invoke_a'), done], a: [done] },
    });
    await registry.register(Counted, spec('a'));
    const atRegistration = seen.length;

    await ask('How far is the moon?');

    expect(atRegistration).toBe(0);
    expect(seen.map(({ task }) => task)).toEqual(['Ask invoke_a.', 'Ask invoke_a.']);
    expect(seen[0]?.parent).toEqual({
      conversation: [{ role: 'user', name: 'user', text: 'How far is the moon?' }],
      recentToolResults: [],
      longTermRefs: [],
    });
  });

  it('is kept in the metadata of the host’s latest user message, and handed to the subagent (D41)', async () => {
    const { registry, ask, host, requestsOf } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [done] },
    });
    await registry.register(scout(), spec('a'));

    await ask('How far is the moon?');

    const users = host.memory.messages().filter(({ role }) => role === 'user');
    expect(users.map(({ metadata }) => metadata['delegation_context'])).toEqual([
      {
        task_summary: 'Ask invoke_a.',
        recent_events: ['user: How far is the moon?'],
        long_term_refs: [],
        workspace_pointers: [],
        safety_flags: [],
      },
    ]);
    const messages = JSON.stringify(requestsOf('a')[0]?.messages);
    expect(messages).toContain('Recent events:\\n- user: How far is the moon?');
  });

  it('never holds what the host and its user said before (D42)', async () => {
    const { registry, ask, host, requestsOf } = arrange({
      agents: { host: [{ text: marker }], a: [done] },
    });
    await ask(marker);
    const second = arrange({ agents: { host: [calls('invoke_a'), done], a: [done] } });
    await second.registry.register(scout(), spec('a'));
    second.host.memory.add(host.memory.messages());
    await second.ask('And now?');

    expect(JSON.stringify(second.requestsOf('host')[0]?.messages)).toContain(marker);
    expect(second.requestsOf('a')).toHaveLength(1);
    expect(JSON.stringify(second.requestsOf('a'))).not.toContain(marker);
    expect(requestsOf('a')).toEqual([]);
    expect(registry.tools).toEqual([]);
  });

  it('is as its class wants it, within the bounds (D40)', async () => {
    class Own extends scout() {
      static override preContextCompress(_parent: ContextBundle, task: string) {
        return {
          task_summary: task.toUpperCase(),
          recent_events: ['1', '2', '3', '4', '5'],
          long_term_refs: ['note:1'],
          workspace_pointers: [],
          safety_flags: ['quiet'],
        };
      }
    }
    const { registry, ask, host } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [done] },
    });
    await registry.register(Own, spec('a'));

    await ask();

    expect(host.memory.messages()[0]?.metadata['delegation_context']).toMatchObject({
      task_summary: 'ASK INVOKE_A.',
      recent_events: ['2', '3', '4', '5'],
      safety_flags: ['quiet'],
    });
  });

  it('is loaded once into the subagent’s own memory, however often it is told (D43)', async () => {
    const { host, supervisor } = arrange({ default: [done] });
    const agent = await exportAgent(scout(), {
      spec: spec('a'),
      permissions: { logger: recordingLogger(), supervisorName: 'host' },
      supervisor,
    });
    const context = { task_summary: 'Look.', recent_events: ['user: hi'] };

    agent.loadDelegationContext({ delegation_context: context });
    const once = agent.memory.messages();
    agent.loadDelegationContext({ delegation_context: context });

    expect(once).toHaveLength(1);
    expect(agent.memory.messages()).toEqual(once);
    expect(agent.memory.messages()[0]?.metadata['delegation_context']).toEqual({
      ...context,
      long_term_refs: [],
      workspace_pointers: [],
      safety_flags: [],
    });
    agent.loadDelegationContext({ delegation_context: { task_summary: 'Listen.' } });
    expect(agent.memory.messages().map(msgText)).toEqual(['Delegated task: Listen.']);
    expect(host.memory.size).toBe(0);
    expect(() => agent.loadDelegationContext({})).toThrow('no delegation_context');
  });

  it('is not made by an export, which calls no model and takes a context as it is (D36, D40, X17)', async () => {
    const { Counted, seen } = counted();
    const { supervisor, model } = arrange({ default: [done] });
    const parentContext: ContextBundle = {
      conversation: [{ role: 'user', text: marker }],
      recentToolResults: [],
      longTermRefs: [],
    };

    const agent = await exportAgent(Counted, {
      spec: spec('a'),
      permissions: { logger: recordingLogger(), supervisorName: 'host' },
      supervisor,
      parentContext,
      task: 'Look.',
      delegationContext: {
        task_summary: 'Look.',
        recent_events: [],
        long_term_refs: [],
        workspace_pointers: [],
        safety_flags: [],
      },
    });

    expect(seen).toEqual([]);
    expect(model.requests()).toEqual([]);
    expect(agent.memory.messages().map(msgText)).toEqual(['Delegated task: Look.']);
  });

  it('takes the context under its older name as well (X17)', async () => {
    const { supervisor, requestsOf } = arrange({ agents: { a: [done] } });
    const agent = await exportAgent(scout(), {
      spec: spec('a'),
      permissions: { logger: recordingLogger(), supervisorName: 'host' },
      supervisor,
    });
    const contextBundle = {
      task_summary: 'Look.',
      recent_events: ['user: by the older name'],
      long_term_refs: [],
      workspace_pointers: [],
      safety_flags: [],
    };

    await within(agent.delegate('Look.', { contextBundle }), 'the response');

    expect(JSON.stringify(requestsOf('a')[0]?.messages)).toContain('by the older name');
  });

  it('serves an agent of any kind: its conversation is its transcript (D32, D41)', async () => {
    const { supervisor, model } = supervise({
      agents: { boss: [calls('invoke_a'), done], a: [{ text: 'found' }] },
    });
    const kept: unknown[] = [];
    const registry = new SubagentRegistry({
      host: transcriptHost({
        name: 'boss',
        transcript: (id) => supervisor.transcript(id),
        onContext: (context) => kept.push(context.recent_events),
      }),
      permissions: { logger: recordingLogger(), supervisorName: 'boss' },
    });
    await registry.register(scout(), spec('a'));

    const outcome = await within(
      supervisor.delegate({
        goal: 'How far?',
        agent: { name: 'boss', tools: registry.tools },
      }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    expect(kept).toEqual([['user: How far?']]);
    const last = model.requests().findLast(({ agent }) => agent.name === 'boss');
    expect(resultsIn(last)).toEqual(['found']);
  });
});
