// Checks dialect B up to its run: what is refused, and what the model of a scope sees.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ContextState, SubAgentScope, SubagentTerminateMode } from '#src/dialects/scope/index.js';
import { defineTool } from '#src/index.js';
import { rejection, within } from '../../supervisor/support.ts';
import { arrange, emits, lookup, nothing, run } from './support.ts';

const plain = defineTool({
  name: 'plain',
  description: 'Says a word.',
  input: nothing,
  run: () => 'word',
});

function asking<Input extends z.ZodObject>(
  needsApproval: boolean | ((input: z.output<Input>) => boolean),
  input: Input,
) {
  return defineTool({
    name: 'asking',
    description: 'Asks first.',
    input,
    needsApproval,
    run: () => 'ran',
  });
}

describe('creating a scope', () => {
  it('has exactly four reasons to end (B1)', () => {
    expect(Object.keys(SubagentTerminateMode)).toEqual(['ERROR', 'TIMEOUT', 'GOAL', 'MAX_TURNS']);
    for (const [key, value] of Object.entries(SubagentTerminateMode)) expect(value).toBe(key);
  });

  it('goes through create alone, which is async (B2, B11)', async () => {
    const { create } = arrange([{ text: 'done' }]);
    const creating = create();

    expect(creating).toBeInstanceOf(Promise);
    expect(Object.keys(SubAgentScope)).toEqual(['create']);
    expect(typeof SubAgentScope).toBe('object');
    expect((await creating).output).toEqual({ emitted_vars: {}, terminate_reason: 'ERROR' });
  });

  const alone = asking(true, nothing);
  const counting = z.object({ count: z.number().default(9) });
  const asked = asking(({ count }) => count > 8, counting);
  it.each([
    ['named, always', [alone], 'asking'],
    ['named, with its schema’s defaults', [asked], 'asking'],
    ['as an object, always', [], alone],
    ['as an object, with its schema’s defaults', [], asked],
  ])('refuses a tool that would ask (%s), by name (B12)', async (_how, registered, tool) => {
    const { create, model } = arrange([{ text: 'done' }], { tools: registered });

    const refused = await rejection(create({ tools: { tools: [tool] } }));

    expect(refused).toMatchObject({
      code: 'tool_denied',
      message: expect.stringContaining('asking'),
    });
    expect(model.requests()).toEqual([]);
  });

  it('refuses a tool that the supervisor’s patterns name (B12)', async () => {
    const { create, model } = arrange([{ text: 'done' }], {
      tools: [plain],
      approval: { require: ['pl*'] },
    });

    expect(await rejection(create({ tools: { tools: ['plain'] } }))).toMatchObject({
      code: 'tool_denied',
    });
    expect(model.requests()).toEqual([]);
  });

  it.each(['named', 'as an object'])(
    'presumes safe what it cannot ask (%s), with a warning (B13)',
    async (how) => {
      let asked = 0;
      const tool = asking(
        () => {
          asked += 1;
          return true;
        },
        z.object({ id: z.string() }),
      );
      const { create, watch } = arrange([{ text: 'done' }], { tools: [tool] });

      await create({ tools: { tools: [how === 'named' ? 'asking' : tool] } });

      expect(asked).toBe(0);
      expect(watch.of('log')).toMatchObject([
        { level: 'warn', message: expect.stringContaining('asking') },
      ]);
    },
  );

  it.each([
    [{ run: { max_time_minutes: 0 } }, /max_time_minutes is 0/],
    [{ run: { max_turns: 3 } }, /max_time_minutes/],
    [{ model: { temp: 'warm' } }, /model.temp is "warm"/],
    [{ tools: { tools: ['nothing'] } }, /there is no tool "nothing"/],
    [{ outputs: { outputs: { a: 1 } } }, /outputs.outputs.a is 1/],
    [{ outputs: { outputs: { 'the title': 'x' } } }, /outputs.outputs.the title is/],
    [{ model: { temp: 3 } }, /model.temp is 3/],
    [{ model: { top_p: 0 } }, /model.top_p is 0/],
    [{ prompt: { initialMessages: [{ role: 'user', content: '' }] } }, /content is ""/],
  ])('refuses %j (B4, B5, B7)', async (parts, expected) => {
    const { create } = arrange([{ text: 'done' }]);

    expect(String(await rejection(create(parts as object)))).toMatch(expected);
  });
});

describe('what the model of a scope sees', () => {
  it('is the rendered prompt, the rules, and the kick-off (B9, B10, B14, B16, B18)', async () => {
    const { create, model, runtime } = arrange([{ text: 'done' }]);
    runtime.environment = 'You are in a test.';
    const context = new ContextState();
    context.set('topic', 'bolts');
    context.set('count', 3);
    context.set('unused', true);
    const placed = (key: string): string => `$\{${key}}`;
    const systemPrompt = `${placed('topic')}: ${placed('count')} ${placed('topic')}`;
    const scope = await create({ prompt: { systemPrompt } });

    await run(scope, context);

    const [request] = model.requests();
    expect(request?.system).toContain('bolts: 3 bolts');
    expect(request?.system).toMatch(/Ask no questions/);
    expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(request?.messages[0])).toContain('You are in a test.');
    expect(request?.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'Get Started!' }]);
    expect(context.get('model_name')).toBe('scripted');
    expect(scope.output).toEqual({ emitted_vars: {}, terminate_reason: 'GOAL' });
  });

  it('has nothing in front of it when the environment is blank (B14)', async () => {
    const { create, model, runtime } = arrange([{ text: 'done' }]);
    runtime.environment = ' ';
    const scope = await create();

    await run(scope, new ContextState());

    expect(model.requests()[0]?.messages).toHaveLength(1);
  });

  it('replaces a key whatever it is called, and leaves what is no key as it is (B9)', async () => {
    const { create, model } = arrange([{ text: 'done' }]);
    const placed = (key: string): string => `$\{${key}}`;
    const code = placed('a + b');
    const systemPrompt = `${placed('user.name')} ${placed('größe')} ${code} ${placed('price')}`;
    const scope = await create({ prompt: { systemPrompt } });
    const context = new ContextState();
    context.set('user.name', 'Ada');
    context.set('größe', 7);
    context.set('price', '$& $1');

    await run(scope, context);

    expect(model.requests()[0]?.system).toContain(`Ada 7 ${code} $& $1`);
  });

  it('names every key that is missing, and calls no model (B9)', async () => {
    const { create, model } = arrange([{ text: 'done' }]);
    const systemPrompt = ['a', 'b', 'a', 'c'].map((key) => `$\{${key}}`).join(' ');
    const scope = await create({ prompt: { systemPrompt } });
    const context = new ContextState();
    context.set('b', 1);

    const error = await rejection(run(scope, context));

    expect(error).toMatchObject({ code: 'invalid_options', detail: { missing: ['a', 'c'] } });
    expect(model.requests()).toEqual([]);
    expect(scope.output.terminate_reason).toBe('ERROR');
  });

  it.each([{}, { systemPrompt: 'a', initialMessages: [] }])(
    'fails with %j (B3)',
    async (prompt) => {
      const { create, model } = arrange([{ text: 'done' }]);
      const scope = await create({ prompt });

      expect(await rejection(run(scope))).toMatchObject({ code: 'invalid_options' });
      expect(scope.output.terminate_reason).toBe('ERROR');
      expect(model.requests()).toEqual([]);
    },
  );

  it('is the initial messages instead, without rules (B3, B16)', async () => {
    const { create, model } = arrange([{ text: 'done' }]);
    const initialMessages = [
      { role: 'user' as const, content: 'an example' },
      { role: 'assistant' as const, content: 'its answer' },
    ];
    await run(await create({ prompt: { initialMessages } }));

    const [request] = model.requests();
    expect(request?.system).not.toMatch(/Ask no questions/);
    expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(request?.messages[0])).toContain('an example');
  });

  it('is asked with its own model, temperature and top-p (B4, B14, B32)', async () => {
    const { create, model } = arrange([{ text: 'done' }]);

    await run(await create({ model: { temp: 0.5, top_p: 0.9 } }));

    expect(model.requests()[0]?.settings).toMatchObject({ temperature: 0.5, topP: 0.9 });
  });

  it('is offered named and inline tools, and the one that emits (B6, B15, B17)', async () => {
    const { create, model, supervisor } = arrange([emits({ title: 'a' })], { tools: [lookup] });
    const outputs = { outputs: { title: 'what it is called' } };

    await run(await create({ tools: { tools: ['lookup', plain] }, outputs }));
    await within(supervisor.delegate({ goal: 'a', agent: { name: 'scope' } }), 'another agent');

    const [request, other] = model.requests();
    expect(request?.tools.map(({ name }) => name)).toEqual(['lookup', 'plain', 'self_emitvalue']);
    expect(request?.tools.at(-1)?.inputSchema).toMatchObject({
      required: ['emit_variable_name', 'emit_variable_value'],
    });
    expect(request?.system).toMatch(/title.*what it is called/);
    expect(other?.tools.map(({ name }) => name)).toEqual(['lookup']);
  });

  it('is offered no tool when none was named (B6, B17)', async () => {
    const { create, model } = arrange([{ text: 'done' }], { tools: [lookup] });

    await run(await create());

    expect(model.requests()[0]?.tools).toEqual([]);
  });
});

describe('a context state', () => {
  it('sets, gets, and knows its keys (B8)', () => {
    const context = new ContextState();
    context.set('a', 1);
    context.set('b', undefined);

    const got = ['a', 'b', 'c'].map((key) => context.get(key));

    expect(got).toEqual([1, undefined, undefined]);
    expect(context.get_keys()).toEqual(['a', 'b']);
  });
});
