// Checks what of children reaches the model that delegated: both ends of long summaries, where the whole is, little else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import { temporaryFolder } from '../../fixtures/tool-context.ts';
import {
  gate,
  supervise,
  superviseInManualTime,
  toolFixture,
  within,
} from '../../supervisor/support.ts';

const summary = `The beginning. ${'x'.repeat(60_000)} The conclusion.`;
const bothEnds = /^The beginning\. x+… \[cut: 60,031 characters in all.*\] …x+ The conclusion\.$/;

type Result = { readonly content: string; readonly isError: boolean };
type Entry = Readonly<Record<string, unknown>> & { readonly summary: string };
type Envelope = { readonly results: readonly Entry[]; readonly total_duration_ms: number };

const envelopeOf = (content: unknown): Envelope => JSON.parse(String(content));

/** What an agent of the tree was answered by its one call. */
async function answeredIn(
  boss: object,
  call: { readonly name: string; readonly input: unknown },
  options: Partial<SupervisorOptions> = {},
): Promise<string> {
  const { supervisor, model } = supervise(
    { agents: { boss: [{ toolCalls: [call] }, { text: 'ok' }] }, default: [{ text: summary }] },
    {
      tools: [delegateTaskTool(), ...agentTools()],
      agents: [{ name: 'boss', ...boss }],
      ...options,
    },
  );
  await within(supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');
  const [result] = model.requests().at(-1)?.messages.at(-1)?.content ?? [];
  return result?.type === 'tool_result' ? String(result.content) : '';
}

const delegating = { name: 'delegate_task', input: { goal: 'b', toolsets: [] } };
const starting = { name: 'Agent', input: { description: 'b', prompt: 'b' } };

describe('a long summary', () => {
  it.each([
    ['delegate_task', delegating, (content: string) => envelopeOf(content).results[0]?.summary],
    ['Agent', starting, (content: string) => content],
  ])(
    'of %s has both ends, and names its file to an agent that reads files (C7, E10)',
    async (_name, call, textIn) => {
      const workspace = temporaryFolder();
      const boss = { toolsets: ['file'] };

      const text = textIn(await answeredIn(boss, call, { workspace })) ?? '';

      expect(text).toMatch(bothEnds);
      const [, path = ''] = /the full text is in (\S+)\]/.exec(text) ?? [];
      expect(readFileSync(join(workspace, path), 'utf8')).toBe(summary);
    },
  );

  it.each([
    ['delegate_task', delegating],
    ['Agent', starting],
  ])('of %s names no file to an agent that reads none, but a result (C7)', async (_name, call) => {
    const content = await answeredIn({}, call);

    expect(content).toContain('The conclusion.');
    expect(content).toMatch(
      /60,031 characters in all, \d+ to \d+ left out; the full text is in kept-1, /,
    );
  });

  it('has both ends in a toolbox, where its file is named as well (C7)', async () => {
    const workspace = temporaryFolder();
    const { supervisor } = supervise({ default: [{ text: summary }] }, { workspace });
    const session = supervisor.session('chat');
    const tools = session.tools(delegateTaskTool());

    const result = (await within(tools.call('delegate_task', { goal: 'b' }), 'it')) as Result;

    const text = envelopeOf(result.content).results[0]?.summary ?? '';
    expect(text).toMatch(bothEnds);
    const [, path = ''] = /the full text is in (\S+)\]/.exec(text) ?? [];
    expect(readFileSync(join(workspace, path), 'utf8')).toBe(summary);
  });

  it('keeps the result whole JSON in the room that its caller has (C8)', async () => {
    const boss = { maxResultChars: 2_000 };

    const content = await answeredIn(boss, delegating);

    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(envelopeOf(content).results[0]?.summary).toMatch(bothEnds);
  });

  it('of a background task has both ends in its notice, and is whole for who reads it (C7)', async () => {
    const { supervisor, model, watch } = supervise(
      {
        agents: {
          boss: [
            { toolCalls: [{ ...starting, input: { ...starting.input, run_in_background: true } }] },
            { toolCalls: [{ name: 'pause', input: {} }] },
            { toolCalls: [{ name: 'TaskOutput', input: { task_id: 't2' } }] },
            { text: 'ok' },
          ],
        },
        default: [{ text: summary }],
      },
      {
        tools: [...agentTools()],
        agents: [{ name: 'boss', maxResultChars: 100_000 }],
      },
    );
    const handle = supervisor.start({
      goal: 'a',
      agent: 'boss',
      hooks: {
        // The notice is there before the second turn.
        beforeTurn: async ({ turn }) => {
          if (turn === 2) await watch.next('task_completed', ({ taskId }) => taskId === 't2');
        },
      },
    });

    await within(handle.result(), 'the outcome');

    const texts = model
      .requests()
      .at(-1)
      ?.messages.flatMap(({ content }) => content.map((block) => JSON.stringify(block)));
    const notice = texts?.find((text) => text.includes('[Background task t2 ended'));
    expect(notice).toContain('the result of background task t2] …');
    expect(notice).toContain('The conclusion.');
    expect(texts?.at(-1)).toContain(summary);
  });
});

describe('the entry of a child', () => {
  it('is under 200 characters beside its summary, with what it did and no ids (C8)', async () => {
    const echo = (text: string) => ({ name: 'echo', input: { text } });
    const { supervisor } = supervise(
      {
        default: [
          { toolCalls: [echo('a'), echo('b'), { name: 'fail', input: {} }] },
          { toolCalls: [echo('c')], usage: { inputTokens: 1_234_567, outputTokens: 8_901 } },
          { text: 'found' },
        ],
      },
      { tools: [toolFixture('plain')] },
    );
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const { content } = await within(tools.call('delegate_task', { goal: 'b' }), 'the result');

    const { results, ...rest } = envelopeOf(content);
    const [entry] = results;
    expect(JSON.stringify(entry).length - 'found'.length).toBeLessThan(200);
    expect(entry).toEqual({
      task_index: 0,
      status: 'completed',
      exit_reason: 'goal',
      turns: 3,
      tool_calls: 4,
      duration_ms: expect.any(Number),
      tokens: expect.any(Number),
      tool_trace: ['echo x2', 'fail failed', 'echo'],
      summary: 'found',
    });
    expect(rest).toEqual({ total_duration_ms: expect.any(Number) });
  });

  it('says how long the whole call took, the wait for room included (C8)', async () => {
    const { opened, open } = gate();
    const waiting = defineTool({
      name: 'hold',
      description: 'Holds.',
      input: z.object({}),
      run: () => opened,
    });
    const { supervisor, clock, watch } = superviseInManualTime(
      { default: [{ toolCalls: [{ name: 'hold', input: {} }] }, { text: 'found' }] },
      { tools: [waiting], limits: { maxLiveAgents: 1 } },
    );
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const calling = tools.call('delegate_task', { tasks: [{ goal: 'one' }, { goal: 'two' }] });
    await watch.next('tool_started');
    await within(clock.advance(5_000), 'five seconds');
    open();
    const { content } = await within(calling, 'the result');

    const { results, total_duration_ms: total } = envelopeOf(content);
    expect(results.map(({ duration_ms: ms }) => ms)).toEqual([5_000, 0]);
    expect(total).toBe(5_000);
  });

  it('is made of an outcome that names its last calls (C8, S9)', async () => {
    const calls = (count: number) =>
      Array.from({ length: count }, () => ({ name: 'echo', input: { text: 'a' } }));
    const { supervisor } = supervise(
      {
        agents: { busy: [{ toolCalls: calls(25) }, { text: 'ok' }] },
        default: [{ text: 'nothing to do' }],
      },
      { tools: [toolFixture('plain')], agents: [{ name: 'busy' }] },
    );

    const busy = await within(supervisor.delegate({ goal: 'a', agent: 'busy' }), 'the outcome');
    const idle = await within(supervisor.delegate({ goal: 'b' }), 'the outcome');

    expect(busy.toolCalls).toBe(25);
    expect(busy.toolTrace).toHaveLength(20);
    expect(busy.toolTrace?.at(-1)).toMatchObject({ name: 'echo', turn: 1, status: 'completed' });
    expect(idle).not.toHaveProperty('toolTrace');
  });
});
