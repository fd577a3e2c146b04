// Checks answers by schema: judged on the host, corrected a bounded number of times, kept whatever happens after (D19).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { delegate, handsTo } from './family.ts';
import { answered, inShort, rejection, supervise, toolFixture, within } from './support.ts';

const verdict = z.object({ ok: z.boolean(), score: z.number().default(1) });

function answer(input: unknown): ScriptStep {
  return { toolCalls: [{ name: 'generate_response', input }] };
}

describe('structured output', () => {
  it('offers the schema as a finish tool and ends the run with what it made (D19)', async () => {
    const { supervisor, model } = supervise({ default: [answer({ ok: true })] });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputSchema: verdict }),
      'the outcome',
    );

    expect(inShort(outcome)).toEqual(['goal', undefined, '{"ok":true,"score":1}']);
    expect(outcome).toMatchObject({ structured: { ok: true, score: 1 }, turns: 1 });
    const [request] = model.requests();
    expect(request?.tools).toEqual([
      {
        name: 'generate_response',
        description: expect.any(String),
        inputSchema: expect.objectContaining({ required: ['ok'] }),
      },
    ]);
    expect(request?.system).toContain('calling generate_response');
  });

  it('answers wrong arguments with an error and takes the corrected ones (D19)', async () => {
    const { supervisor, model } = supervise({
      default: [answer({ ok: 'yes' }), answer(null), answer({ ok: false, score: 2 })],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputSchema: verdict }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ exitReason: 'goal', structured: { ok: false, score: 2 } });
    expect(answered(model)).toEqual([[expect.stringContaining('as one JSON object'), true]]);
    const second = model.requests()[1]?.messages.at(-1)?.content[0];
    expect(second).toMatchObject({ is_error: true, content: expect.stringContaining('- ok: ') });
  });

  it('asks for the tool when the model only talks, and keeps what it said last as text (D19)', async () => {
    const { supervisor, model } = supervise({
      default: [{ text: 'It is fine.' }, { ...answer({ ok: true }), text: 'Formally:' }],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputSchema: verdict }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ text: 'Formally:', structured: { ok: true } });
    expect(model.requests()[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: expect.stringContaining('generate_response') }],
    });
  });

  it.each([
    ['arguments that never fit', { ...answer({}), repeat: true as const }],
    ['nothing but talk', { text: 'no', repeat: true as const }],
  ])('ends the run output_invalid after three corrections of %s (D19)', async (_what, step) => {
    const { supervisor, model } = supervise({ default: [step] });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputSchema: verdict }),
      'the outcome',
    );

    expect(outcome).toMatchObject({
      status: 'failed',
      exitReason: 'error',
      error: { code: 'output_invalid' },
      turns: 4,
    });
    expect(outcome).not.toHaveProperty('structured');
    expect(model.requests()).toHaveLength(4);
  });

  it('keeps an accepted answer when the same turn’s other call is interrupted (S9)', async () => {
    const { supervisor, watch } = supervise(
      {
        default: [
          {
            toolCalls: [
              { name: 'generate_response', input: { ok: true } },
              { name: 'wait', input: {} },
            ],
          },
        ],
      },
      { tools: [toolFixture('stubborn')] },
    );
    const handle = supervisor.start({ goal: 'a', outputSchema: verdict });
    await watch.next('tool_completed', ({ name }) => name === 'generate_response');

    await within(handle.interrupt(), 'the receipts');

    expect(await handle.result()).toMatchObject({ structured: { ok: true, score: 1 } });
  });

  it('belongs to a definition too, the task’s own wins, and children have no right to it (X9)', async () => {
    const reviewer = { name: 'reviewer', outputSchema: verdict };
    const { supervisor, model } = supervise(
      {
        agents: {
          reviewer: [answer({ ok: true })],
          lead: [handsTo('reviewer'), answer({ done: 'yes' })],
        },
      },
      { agents: [reviewer, { name: 'lead', outputSchema: verdict }], tools: [delegate] },
    );

    const outcome = await within(
      supervisor.delegate({
        goal: 'a',
        agent: 'lead',
        outputSchema: z.object({ done: z.string() }),
      }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ exitReason: 'goal', structured: { done: 'yes' } });
    const [, child] = model.requests();
    expect(child?.agent.name).toBe('reviewer');
    expect(child?.tools.map(({ name }) => name)).toEqual(['delegate', 'generate_response']);
    expect(child?.tools[1]?.inputSchema).toMatchObject({ required: ['ok'] });
  });

  it('goes on owing its answer after it was parked (V7)', async () => {
    const { supervisor, watch } = supervise(
      { default: [handsTo('leaf'), answer({ ok: true })], agents: { leaf: [{ text: 'leaf' }] } },
      { agents: [{ name: 'leaf' }], tools: [delegate], limits: { maxLiveAgents: 1 } },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputSchema: verdict }),
      'the outcome',
    );

    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
    expect(outcome).toMatchObject({ exitReason: 'goal', structured: { ok: true } });
  });

  it.each([
    ['no schema', { type: 'object' }, 'invalid_task'],
    ['a schema of no object', z.string(), 'invalid_task'],
    ['a schema that prints as nothing', z.object({ at: z.date() }), 'invalid_task'],
  ])('refuses %s before anything starts', async (_what, outputSchema, code) => {
    const { supervisor, watch } = supervise({ default: [] });

    // Refused for its value: the type would not let it pass.
    const task = { goal: 'a', outputSchema: outputSchema as never };
    const error = await rejection(supervisor.delegate(task));

    expect(error).toMatchObject({ code, message: expect.stringContaining('outputSchema') });
    expect(watch.of('task_queued')).toEqual([]);
  });

  it('refuses a tool of the same name', async () => {
    const twin = defineTool({
      name: 'generate_response',
      description: 'Mine.',
      input: z.object({}),
      run: () => 'mine',
    });
    const { supervisor } = supervise({ default: [] }, { tools: [twin] });

    expect(
      await rejection(supervisor.delegate({ goal: 'a', outputSchema: verdict })),
    ).toMatchObject({ code: 'invalid_tool' });
  });
});
