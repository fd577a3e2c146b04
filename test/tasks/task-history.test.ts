// Checks what is kept of ended tasks: bounded in number and size, whatever was said in them (decision 13).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import { type Ended, TaskHistory } from '#src/tasks/task-history.js';
import { scripted } from '#src/testing.js';

const toolCall = (input: unknown): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c1', name: 'look', input }],
});

function ended(taskId: string, messages: readonly Message[] = []): Ended {
  const agent = { id: `a-${taskId}`, path: '/agent' };
  const outcome = { taskId, agent, text: '' } as unknown as Ended['outcome'];
  return {
    outcome,
    messages,
    begins: 0,
    opening: { preamble: 0, examples: 0 },
    goal: taskId,
    agentName: undefined,
    sessionId: undefined,
    parentTaskId: null,
    branch: null,
  };
}

function nested(depth: number): unknown {
  let value: unknown = 'the end';
  for (let level = 0; level < depth; level += 1) value = { below: value };
  return value;
}

describe('Archive', () => {
  it('keeps the last 1,000', () => {
    const history = new TaskHistory();

    for (let at = 1; at <= 1_002; at += 1) history.keep(ended(`t${at}`));

    expect([...history.all()]).toHaveLength(1_000);
    expect(history.find('t2')).toBeNull();
    expect(history.find('a-t2')).toBeNull();
    expect(history.find('t3')?.goal).toBe('t3');
    expect(history.find('/agent')?.goal).toBe('t1002');
  });

  it('keeps 64 MiB, and the newest whatever its size', () => {
    const history = new TaskHistory();
    const long = toolCall('x'.repeat(20 * 1024 * 1024));

    history.keep(ended('t1', [long]));
    history.keep(ended('t2', [long]));
    expect([...history.all()].map(({ goal }) => goal)).toEqual(['t2']);
    history.keep(ended('t3', [long, toolCall('x'.repeat(40 * 1024 * 1024))]));

    expect([...history.all()].map(({ goal }) => goal)).toEqual(['t3']);
  });

  it('takes what no message could be: depth without end, a function, itself', () => {
    const history = new TaskHistory();
    const itself: Record<string, unknown> = { run: () => 'a function' };
    itself['itself'] = itself;

    history.keep(ended('t1', [toolCall(nested(100_000)), toolCall(itself)]));

    expect(history.find('t1')?.messages).toHaveLength(2);
  });

  it('ends a run whose model nested its input deeper than a message may be', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ at: z.unknown() }),
      run: () => 'seen',
    });
    const model = scripted({
      default: [{ toolCalls: [{ name: 'look', input: { at: nested(600) } }] }, { text: 'done' }],
    });
    const supervisor = createSupervisor({ model, tools: [look] });
    try {
      const { status, text } = await supervisor.delegate({ goal: 'Look.' });

      expect({ status, text }).toEqual({ status: 'completed', text: 'done' });
    } finally {
      await supervisor.close();
    }
  });
});
