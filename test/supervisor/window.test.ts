// Checks what a run does when its model's window is full: it makes room and asks again, once.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { TroupeError } from '#src/base/failures.js';
import { createSupervisor, defineAgent, defineTool, type Model } from '#src/index.js';
import type { AssistantBlock, Message } from '#src/protocol/history.js';
import type { ScriptStep } from '#src/testing.js';
import { inShort, supervise, watched, within } from './support.ts';

const read = defineTool({
  name: 'read',
  description: 'Reads.',
  input: z.object({}),
  run: () => 'page '.repeat(12_000),
});
const reads: ScriptStep = { text: 'reading', toolCalls: [{ name: 'read', input: {} }] };
const tooLong: ScriptStep = { throw: { status: 400, message: 'prompt is too long: 9 > 8' } };
const cutOff: ScriptStep = {
  text: 'half an ans',
  stopReason: 'model_context_window_exceeded',
  toolCalls: [{ name: 'read', input: {} }],
};
const asks: readonly AssistantBlock[] = [
  { type: 'text', text: 'reading' },
  { type: 'tool_use', id: 'c1', name: 'read', input: {} },
];

function saying(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

function textIn({ content }: Message): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

/** A model whose answers do not begin anew with each run. */
function inOrder(...answers: readonly (string | readonly AssistantBlock[] | TroupeError)[]) {
  const asked: (readonly Message[])[] = [];
  const model: Model = {
    id: 'in-order',
    async respond({ messages }) {
      asked.push(messages);
      const answer = answers[asked.length - 1] ?? 'too much';
      if (answer instanceof TroupeError) throw answer;
      const content = typeof answer === 'string' ? saying(answer).content : answer;
      return {
        content: content as readonly AssistantBlock[],
        stopReason: typeof answer === 'string' ? 'end_turn' : 'tool_use',
        usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
        isEstimated: true,
        model: 'in-order',
      };
    },
  };
  return { model, asked };
}

describe('a full window', () => {
  it.each([
    ['refused the request', tooLong, 2],
    ['cut the answer off', cutOff, 3],
  ])('that %s is made room in, and the model is asked again', async (_what, step, turns) => {
    const { supervisor, model, watch } = supervise(
      { default: [reads, step, { text: 'done' }] },
      { tools: [read] },
    );

    const handle = supervisor.start({ goal: 'Read it all.' });
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(outcome).toMatchObject({ turns, toolCalls: 1 });
    const [, full, short] = model.requests().map(({ messages }) => messages);
    expect(JSON.stringify(short).length).toBeLessThan(JSON.stringify(full).length / 2);
    expect(pairingFault(short ?? [])).toBeNull();
    expect(short?.[0]).toEqual(full?.[0]);
    expect(JSON.stringify(short)).not.toContain('half an ans');
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'done' }] };
    expect(supervisor.transcript(handle.id)).toEqual([...(short ?? []), answer]);
    expect(watch.of('log')).toMatchObject([
      { level: 'warn', taskId: handle.id, message: expect.stringContaining('window was full') },
    ]);
  });

  it.each([
    ['refused', tooLong],
    ['cut off', cutOff],
  ])('that is full again ends the run that was %s', async (_what, step) => {
    const { supervisor, model } = supervise(
      { default: [reads, step, reads, step] },
      { tools: [read] },
    );

    const outcome = await within(supervisor.delegate({ goal: 'Read it all.' }), 'the outcome');

    expect(outcome).toMatchObject({
      exitReason: 'error',
      error: { code: 'context_window_exceeded' },
    });
    model.assertConsumed();
  });

  it('ends the run at once when there is nothing to take away, or no turn left', async () => {
    const bare = supervise({ default: [tooLong] });
    expect(await within(bare.supervisor.delegate({ goal: 'a' }), 'the outcome')).toMatchObject({
      error: { code: 'context_window_exceeded' },
      turns: 1,
    });

    const last = supervise({ default: [reads, cutOff] }, { tools: [read] });
    const ended = await within(last.supervisor.delegate({ goal: 'a', maxTurns: 2 }), 'the outcome');
    expect(ended).toMatchObject({ error: { code: 'context_window_exceeded' }, turns: 2 });
  });

  it('leaves earlier runs of an agent out, in its thread and in what it remembers', async () => {
    const full = new TroupeError('context_window_exceeded', 'prompt is too long');
    const { model, asked } = inOrder(asks, 'first'.repeat(40_000), asks, full, 'second', 'third');
    const { supervisor } = watched(createSupervisor({ model, tools: [read] }));
    const reader = defineAgent({
      name: 'reader',
      initialMessages: [{ role: 'user', content: 'ex' }],
    });
    const agent = await within(supervisor.spawn(reader), 'the agent');
    const ask = (text: string) => within(agent.ask(text, { timeoutMs: 20_000 }), text);

    await ask('one');
    await ask('two');
    const remembered = agent.history();
    await ask('three');

    expect(asked[3]?.length).toBe(8);
    expect(asked[4]?.map(textIn)).toEqual([
      'ex',
      'two',
      expect.stringContaining('4 older messages were left out'),
      'reading',
      '',
    ]);
    expect(remembered).toEqual([...(asked[4]?.slice(1) ?? []), saying('second')]);
    expect(asked[5]?.slice(0, -2)).toEqual(remembered);
  });
});
