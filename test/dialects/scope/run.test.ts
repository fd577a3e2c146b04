// Checks the run of dialect B: its loop, its limits, its errors, what it hands over.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { ContextState, SubAgentScope, scopeRuntime } from '#src/dialects/scope/index.js';
import { defineTool } from '#src/index.js';
import { rejection, superviseInManualTime, within } from '../../supervisor/support.ts';
import { arrange, emits, lookup, nothing, run } from './support.ts';

const breaks = defineTool({
  name: 'breaks',
  description: 'Fails.',
  input: nothing,
  run() {
    throw new Error('it broke');
  },
});
const outputs = { outputs: { title: 'the title', author: 'the author' } };
const looksUp = { tools: { tools: ['lookup'] } };

describe('the run of a scope', () => {
  it('reminds of what is missing until all is emitted (B7, B20, B22, B30)', async () => {
    const { create, model } = arrange([
      emits({ title: 'first' }),
      { text: 'done?' },
      emits({ title: 'second', author: 'somebody' }),
    ]);
    const scope = await create({ outputs });

    await run(scope);

    expect(scope.output).toEqual({
      emitted_vars: { title: 'second', author: 'somebody' },
      terminate_reason: 'GOAL',
    });
    const reminder = JSON.stringify(model.requests()[2]?.messages.at(-1));
    expect(reminder).toContain('author');
    expect(reminder).not.toContain('title');
    expect(model.requests()).toHaveLength(3);
  });

  it('has the id of its task while it runs', async () => {
    const { create, supervisor, watch } = arrange([{ hang: true }]);
    const scope = await create();
    expect(scope.taskId).toBeNull();

    const ran = rejection(run(scope));
    const { taskId } = await watch.next('task_started');
    expect(scope.taskId).toBe(taskId);
    await supervisor.interrupt(scope.taskId ?? '');

    expect(await ran).toMatchObject({ code: 'interrupted' });
  });

  it('has the outcome of its task once it has run', async () => {
    const { create, watch } = arrange([{ text: 'done' }]);
    const scope = await create();
    expect(scope.outcome).toBeNull();

    await run(scope);

    expect(scope.outcome).toEqual(watch.of('task_completed')[0]?.outcome);
    expect(scope.outcome?.usage.own.modelCalls).toBe(1);
  });

  it('has the outcome of a task that failed as well', async () => {
    const { create, watch } = arrange([{ throw: { status: 400, message: 'it broke' } }]);
    const scope = await create();

    await rejection(run(scope));

    const [ended] = watch.of('task_completed');
    expect(scope.outcome).toMatchObject({ taskId: ended?.taskId, status: 'failed' });
  });

  it('ends in the tool phase that emits the last (B21)', async () => {
    const { create, model } = arrange([emits({ title: 'a', author: 'b' }), { text: 'never' }]);
    const scope = await create({ outputs });

    await run(scope);

    expect(scope.output.terminate_reason).toBe('GOAL');
    expect(model.requests()).toHaveLength(1);
  });

  it('makes exactly max_turns model calls (B24)', async () => {
    const call = { toolCalls: [{ name: 'lookup', input: { id: 'a' } }], repeat: true } as const;
    const { create, model } = arrange([call], { tools: [lookup] });
    const scope = await create({ ...looksUp, run: { max_time_minutes: 5, max_turns: 4 } });

    await run(scope);

    expect(scope.output.terminate_reason).toBe('MAX_TURNS');
    expect(model.requests()).toHaveLength(4);
  });

  it('ends TIMEOUT when its minutes are over (B5, B23)', async () => {
    const { supervisor, model, clock, watch } = superviseInManualTime({
      default: [{ hang: true }],
    });
    const scope = await SubAgentScope.create(
      'scope',
      scopeRuntime(supervisor.session('chat')),
      { systemPrompt: 'a' },
      { model },
      { max_time_minutes: 2 },
    );
    const running = scope.runNonInteractive(new ContextState());
    await watch.next('turn_started');

    await within(clock.advance(120_000), 'two minutes');
    await within(running, 'the run');

    expect(scope.output.terminate_reason).toBe('TIMEOUT');
  });

  it('rejects with what the model failed with, and keeps what was emitted (B25, X12)', async () => {
    const { create } = arrange([
      emits({ title: 'a' }),
      { throw: { status: 400, message: 'no such thing' } },
    ]);
    const scope = await create({ outputs });

    expect(await rejection(run(scope))).toMatchObject({ code: 'model_bad_request' });
    expect(scope.output).toEqual({ emitted_vars: { title: 'a' }, terminate_reason: 'ERROR' });
  });

  it('feeds results back in call order, those of a turn that failed whole too (B19, B26, B27)', async () => {
    const { create, model } = arrange(
      [
        {
          toolCalls: [
            { id: 'c1', name: 'breaks', input: {} },
            { id: 'c2', name: 'lookup', input: { id: 'a' } },
          ],
        },
        { toolCalls: [{ id: 'c3', name: 'breaks', input: {} }] },
        { text: 'done' },
      ],
      { tools: [lookup, breaks] },
    );

    await run(await create({ tools: { tools: ['lookup', 'breaks'] } }));

    const [, second, third] = model.requests();
    expect(second?.messages.at(-1)?.content).toMatchObject([
      { tool_use_id: 'c1', is_error: true },
      { tool_use_id: 'c2', content: 'found a' },
    ]);
    expect(JSON.stringify(second?.messages.at(-1))).toContain('it broke');
    expect(third?.messages.at(-1)?.content).toMatchObject([
      { tool_use_id: 'c3', is_error: true, content: 'Tool "breaks" failed: it broke' },
    ]);
  });

  it('names each response that asks: session, scope, turn from 0 (B29)', async () => {
    const seen: string[] = [];
    const spy = defineTool({
      name: 'spy',
      description: 'Looks at its call.',
      input: nothing,
      run: (_input, { promptId }) => {
        seen.push(promptId);
        return 'seen';
      },
    });
    const call = { toolCalls: [{ name: 'spy', input: {} }] };
    const { create, session } = arrange([call, call, { text: 'done' }], { tools: [spy] });
    const parts = { tools: { tools: ['spy'] } };

    await run(await create(parts));
    await run(await create(parts));
    // The next session of this name is another one, and what was kept of the first still bears its ids.
    await within(session.reset(), 'the reset');
    await run(await create(parts));

    expect(seen).toEqual(
      [1, 2, 3].flatMap((scope) => [`chat#scope-${scope}#0`, `chat#scope-${scope}#1`]),
    );
  });

  it('ends with its caller’s signal, which its tools see (B31)', async () => {
    const control = new AbortController();
    let isCalled = false;
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      input: nothing,
      run: (_input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            isCalled = true;
            reject(signal.reason);
          });
          control.abort();
        }),
    });
    const { create } = arrange([{ toolCalls: [{ name: 'waits', input: {} }] }], { tools: [waits] });
    const scope = await create({ tools: { tools: ['waits'] } });

    const ended = scope.runNonInteractive(new ContextState(), { signal: control.signal });

    const error = await rejection(within(ended, 'the run'));
    expect(error).toMatchObject({ code: 'interrupted' });
    expect(isCalled).toBe(true);
  });

  it('runs the same call again when it is asked again (B33)', async () => {
    const call = { toolCalls: [{ name: 'lookup', input: { id: 'a' } }] };
    const { create, watch } = arrange([call, call, { text: 'done' }], { tools: [lookup] });

    await run(await create(looksUp));

    expect(watch.of('tool_started')).toHaveLength(2);
  });

  it('happens once (B2)', async () => {
    const { create } = arrange([{ text: 'done' }]);
    const scope = await create();
    await run(scope);

    expect(await rejection(run(scope))).toMatchObject({ code: 'invalid_options' });
    expect(scope.output.terminate_reason).toBe('GOAL');
  });

  it('is flat: a tool that delegates is not had, and whoever watches is told (X6)', async () => {
    const spawns = agentTools()[0];
    if (spawns === undefined) throw new Error('there is no Agent tool');
    const call = { name: 'Agent', input: { description: 'more', prompt: 'Do more.' } };
    const { create, model, watch } = arrange([{ toolCalls: [call] }, { text: 'done' }]);
    const scope = await create({ tools: { tools: [spawns, lookup] } });

    await run(scope);

    expect(model.requests().map(({ agent }) => agent.name)).toEqual(['scope', 'scope']);
    expect(model.requests()[0]?.tools.map(({ name }) => name)).toEqual(['lookup']);
    expect(watch.of('log').map(({ message }) => message)).toEqual([
      expect.stringMatching(/"Agent" was left out: a leaf may not delegate/),
    ]);
  });

  it('is flat where a tool that says nothing of it delegates (X6)', async () => {
    const quiet = defineTool({
      name: 'quiet',
      description: 'Delegates without a word.',
      input: nothing,
      run: async (_input, tool) => (await tool.delegate([{ goal: 'Do more.' }]))[0]?.error?.code,
    });
    const { create, model } = arrange([
      { toolCalls: [{ name: 'quiet', input: {} }] },
      { text: 'done' },
    ]);
    const scope = await create({ tools: { tools: [quiet] } });

    await run(scope);

    expect(model.requests().map(({ agent }) => agent.name)).toEqual(['scope', 'scope']);
    expect(JSON.stringify(model.requests()[1]?.messages)).toContain('max_spawn_depth');
  });
});
