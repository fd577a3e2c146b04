// Checks what a subagent is told of its host: five keys, at most four events, nothing of what was said before.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContextBundle,
  checkedContext,
  compressContext,
  contextText,
  emptyContext,
} from '#src/dialects/agent-family/subagent/context.js';
import { transcriptHost } from '#src/dialects/agent-family/subagent/context-source.js';
import type { Message } from '#src/protocol/history.js';

const keys = [
  'task_summary',
  'recent_events',
  'long_term_refs',
  'workspace_pointers',
  'safety_flags',
];

const entry = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
  text: fc.string(),
});
const bundle: fc.Arbitrary<ContextBundle> = fc.record({
  conversation: fc.array(entry, { maxLength: 20 }),
  recentToolResults: fc.array(fc.record({ tool: fc.string(), text: fc.string() })),
  longTermRefs: fc.array(fc.string()),
});

describe('the compression of a context', () => {
  it('has all five keys and at most four short events, whatever the host has (D39, D40)', () => {
    fc.assert(
      fc.property(bundle, fc.string(), (parent, task) => {
        const context = compressContext(parent, task);

        expect(Object.keys(context)).toEqual(keys);
        expect(context.recent_events.length).toBeLessThanOrEqual(4);
        for (const event of context.recent_events) expect(event.length).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('tells the newest events of all four parts of a bundle (D38)', () => {
    const context = compressContext(
      {
        conversation: [{ role: 'user', text: 'How far is the moon?' }],
        recentToolResults: ['a', 'b', 'c', 'd'].map((text) => ({ tool: 'look', text })),
        longTermRefs: ['note:7'],
        workspace: '/workspace',
      },
      'Find the distance.',
    );

    expect(context).toEqual({
      task_summary: 'Find the distance.',
      recent_events: ['look: a', 'look: b', 'look: c', 'look: d'],
      long_term_refs: ['note:7'],
      workspace_pointers: ['/workspace'],
      safety_flags: [],
    });
  });

  it('leaves out what was said before the latest user message (D42)', () => {
    const marker = 'MARKER'.repeat(50);
    const context = compressContext(
      {
        ...emptyContext,
        conversation: [
          { role: 'user', text: marker },
          { role: 'assistant', text: marker },
          { role: 'user', text: 'And now?' },
        ],
      },
      'Go on.',
    );

    expect(JSON.stringify(context)).not.toContain('MARKER');
    expect(context.recent_events).toEqual(['user: And now?']);
  });

  it('a host tells what tools answered since its user last said something, and nothing older (D38, D42)', () => {
    const call = (id: string): Message => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'look', input: {} }],
    });
    const result = (id: string, content: string): Message => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content }],
    });
    const userMessage = (text: string): Message => ({
      role: 'user',
      content: [{ type: 'text', text }],
    });
    const transcript = [
      ...[userMessage('first'), call('1'), result('1', 'OLD')],
      ...[userMessage('second'), call('2'), result('2', 'new')],
    ];
    const host = transcriptHost({ name: 'host', transcript: () => transcript });

    const bundle = host.contextOf({ agentId: 'a', callId: 'c' });

    expect(bundle.recentToolResults).toEqual([{ tool: 'look', text: 'new' }]);
    expect(JSON.stringify(compressContext(bundle, 'task'))).not.toContain('OLD');
  });

  it('keeps its bounds for a compression of somebody else (D39, D40)', () => {
    const events = Array.from({ length: 9 }, (_, at) => `${at}${'x'.repeat(300)}`);
    const context = checkedContext({ task_summary: 'a', recent_events: events });

    expect(Object.keys(context)).toEqual(keys);
    expect(context.recent_events.map((text) => text[0])).toEqual(['5', '6', '7', '8']);
    expect(context.recent_events.map((text) => text.length)).toEqual([200, 200, 200, 200]);
  });

  it('reads the same every time, and names only what there is (D43)', () => {
    const context = checkedContext({ task_summary: 'Look.', recent_events: ['user: hi'] });

    expect(contextText(context)).toBe('Delegated task: Look.\n\nRecent events:\n- user: hi');
    expect(contextText(context)).toBe(contextText(checkedContext(context)));
  });
});
