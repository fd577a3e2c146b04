// Checks emitted variables: one tool of the run's own, reminders of what is missing, values that outlive their thread.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { delegate, handsTo } from './family.ts';
import { answered, inShort, rejection, supervise, toolFixture, within } from './support.ts';

const outputs = { title: 'The title of the page.', author: 'Who wrote it.' };

/** So long that a tool which listens is never killed, however busy the machine. */
const patient = { interruptGraceMs: 3_600_000 };

function emits(...pairs: readonly (readonly [name: unknown, value: unknown])[]): ScriptStep {
  return {
    toolCalls: pairs.map(([name, value]) => ({ name: 'emit_value', input: { name, value } })),
  };
}

describe('emitted variables', () => {
  it('are asked for one by one, by a tool that only this run has (B15, B17)', async () => {
    const { supervisor, model } = supervise({
      default: [emits(['title', 'Emma'], ['author', 'Jane'])],
      agents: { plain: [{ text: 'ok' }] },
    });

    await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');
    await within(supervisor.delegate({ goal: 'a', agent: { name: 'plain' } }), 'the outcome');

    const [withOutputs, without] = model.requests();
    for (const [name, description] of Object.entries(outputs)) {
      const lines = withOutputs?.system.split('\n').filter((line) => line.includes(`"${name}"`));
      expect(lines).toHaveLength(1);
      expect(lines?.[0]).toContain('emit_value');
      expect(lines?.[0]).toContain(description);
    }
    expect(withOutputs?.tools.map(({ name }) => name)).toEqual(['emit_value']);
    expect(without?.tools).toEqual([]);
    expect(without?.system).not.toContain('emit_value');
  });

  it('end the run in the tool phase, without a further model call (B21)', async () => {
    const { supervisor, model } = supervise({
      default: [{ text: 'reading', ...emits(['title', 'Emma'], ['author', 'Jane']) }],
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'reading']);
    expect(outcome.emitted).toEqual({ title: 'Emma', author: 'Jane' });
    expect(model.requests()).toHaveLength(1);
  });

  it('are reminded of by name, only those that are missing (B20)', async () => {
    const { supervisor, model } = supervise({
      default: [emits(['title', 'Emma']), { text: 'That is all.' }, emits(['author', 'Jane'])],
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'That is all.' });
    const reminder = JSON.stringify(model.requests()[2]?.messages.at(-1)?.content);
    expect(reminder).toContain('author');
    expect(reminder).not.toContain('title');
  });

  it('are reminded of after a response without anything, which history does not keep (B20)', async () => {
    const { supervisor, model } = supervise({
      default: [emits(['title', 'Emma']), { text: '' }, emits(['author', 'Jane'])],
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');

    expect(outcome.emitted).toEqual({ title: 'Emma', author: 'Jane' });
    const history = model.requests()[2]?.messages ?? [];
    expect(history.map(({ content }) => content.length)).toEqual([1, 1, 1, 1]);
    expect(supervisor.transcript(outcome.taskId).slice(0, 4)).toEqual(history);
  });

  it('end the run on text as ever when none are declared (B20)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome).not.toHaveProperty('emitted');
    expect(model.requests()).toHaveLength(1);
  });

  it('are replaced when they are emitted again, and answered with success (B22)', async () => {
    const { supervisor, model } = supervise({
      default: [emits(['title', 'Emma'], ['title', 'Persuasion']), emits(['author', 'Jane'])],
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');

    expect(outcome.emitted).toEqual({ title: 'Persuasion', author: 'Jane' });
    expect(answered(model).map(([, isError]) => isError)).toEqual([false, false]);
  });

  it('take declared names, and text, numbers and booleans as text (B17, B22)', async () => {
    const { supervisor, model } = supervise({
      default: [
        emits(['titel', 'Emma'], ['title', 7], ['author', false], [null, null], ['title', ['a']]),
        { text: 'x' },
      ],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputs: { ...outputs, year: 'When.' }, maxTurns: 2 }),
      'the outcome',
    );

    const declared = 'emit one of: title, author, year';
    const content = (expected: string) => ({
      is_error: true,
      content: expect.stringContaining(expected),
    });
    expect(model.requests()[1]?.messages.at(-1)?.content).toMatchObject([
      content(`there is no variable "titel"; ${declared}`),
      { content: 'title was emitted.' },
      { content: 'author was emitted.' },
      content(`there is no variable null; ${declared}`),
      content('value: expected a text, got ["a"]; write what it holds as one text'),
    ]);
    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'x']);
    const emitted = { title: '7', author: 'false' };
    expect(outcome).toMatchObject({ emitted, partial: { emitted } });
  });

  it.each(['interrupt', 'kill'] as const)('outlive their thread by %s (S9)', async (how) => {
    const tool = how === 'kill' ? 'ignore' : 'wait';
    const { supervisor, watch } = supervise(
      { default: [emits(['title', 'Emma']), { toolCalls: [{ name: tool, input: {} }] }] },
      {
        tools: [toolFixture('stubborn')],
        timeouts: how === 'kill' ? { interruptGraceMs: 1, stopGraceMs: 1 } : patient,
      },
    );
    const handle = supervisor.start({ goal: 'a', outputs });
    await watch.next('tool_started', ({ name }) => name === tool);

    const [receipt] = await within(handle.interrupt(), 'the receipts');

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome.status).toBe('interrupted');
    expect(outcome.emitted).toEqual({ title: 'Emma' });
    expect(receipt).toMatchObject({
      stage: how === 'kill' ? 'killed' : 'interrupted',
      partial: { emitted: { title: 'Emma' } },
    });
  });

  it('are known to a run that continues after it was parked (V7)', async () => {
    const { supervisor, watch } = supervise(
      {
        default: [emits(['title', 'Emma']), handsTo('leaf'), emits(['author', 'Jane'])],
        agents: { leaf: [{ text: 'leaf' }] },
      },
      { agents: [{ name: 'leaf' }], tools: [delegate], limits: { maxLiveAgents: 1 } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', outputs }), 'the outcome');

    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
    expect(outcome).toMatchObject({ exitReason: 'goal', turns: 3 });
    expect(outcome.emitted).toEqual({ title: 'Emma', author: 'Jane' });
  });

  it('are owed together with an answer by schema (B20)', async () => {
    const { supervisor } = supervise({
      default: [
        { toolCalls: [{ name: 'generate_response', input: { n: 1 } }] },
        emits(['title', 'Emma'], ['author', 'Jane']),
      ],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', outputs, outputSchema: z.object({ n: z.number() }) }),
      'the outcome',
    );

    expect(outcome).toMatchObject({
      exitReason: 'goal',
      turns: 2,
      structured: { n: 1 },
      emitted: { title: 'Emma', author: 'Jane' },
    });
  });

  it.each([
    ['no variable', {}],
    ['a blank name', { ' ': 'x' }],
    ['no descriptions', ['title']],
  ])('refuses %s', async (_what, bad) => {
    const { supervisor } = supervise({ default: [] });

    // Refused for its value: the type would not let it pass.
    const error = await rejection(supervisor.delegate({ goal: 'a', outputs: bad as never }));

    expect(error).toMatchObject({
      code: 'invalid_task',
      message: expect.stringContaining('outputs'),
    });
  });

  it('refuses a tool of the same name', async () => {
    const twin = defineTool({
      name: 'emit_value',
      description: 'Mine.',
      input: z.object({}),
      run: () => 'mine',
    });
    const { supervisor } = supervise({ default: [] }, { tools: [twin] });

    expect(await rejection(supervisor.delegate({ goal: 'a', outputs }))).toMatchObject({
      code: 'invalid_tool',
    });
  });
});
