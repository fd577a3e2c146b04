// Checks the tools of a program's own loop: definitions in three shapes, a result for every call, signals, refusals.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { supervise, turns, within } from '../supervisor/support.ts';
import { directing } from '../support/directed.ts';

const noting = defineTool({
  name: 'note',
  description: 'Keeps a note.',
  input: z.object({ text: z.string() }),
  run: ({ text }) => `noted ${text}`,
});

describe('a session’s tools', () => {
  const toolsOf = (steps: readonly ScriptStep[], options: Partial<SupervisorOptions> = {}) => {
    const started = supervise({ agents: { task: steps } }, { tools: [noting], ...options });
    return { ...started, tools: started.supervisor.session('chat').tools(taskTool()) };
  };

  it('are defined for Anthropic, OpenAI and plain JSON Schema (E2)', () => {
    const { tools } = toolsOf([{ text: 'done' }]);
    const { anthropic, openai, jsonSchema } = tools.definitions;

    expect([anthropic[0]?.name, openai[0]?.function.name, jsonSchema[0]?.name]).toEqual(
      Array(3).fill('task'),
    );
    expect(anthropic[0]?.input_schema).toEqual(jsonSchema[0]?.schema);
    expect(openai[0]).toMatchObject({ type: 'function' });
    expect(openai[0]?.function.parameters).toEqual(jsonSchema[0]?.schema);
  });

  it('answer a call of a loop that is not ours (E11)', async () => {
    const { tools, model } = toolsOf([{ text: 'the summary' }]);

    const result = await within(tools.call('task', { prompt: 'Look.' }), 'the result');

    expect(result).toEqual({ content: 'the summary', isError: false });
    expect(model.requests()[0]?.tools.map(({ name }) => name)).toEqual(['note']);
  });

  it.each([
    ['nobody', {}, /no tool "nobody". The tools are: task/],
    ['task', null, /one JSON object/],
    ['task', '{"prompt"', /one JSON object/],
    ['task', [], /an array/],
    ['task', {}, /prompt/],
  ])('answer %s with %j by an error result (X12)', async (name, input, expected) => {
    const { tools, model } = toolsOf([{ text: 'done' }]);

    const result = await within(tools.call(name, input), 'the result');

    expect(result).toMatchObject({ isError: true });
    expect(result.content).toMatch(expected);
    expect(model.requests()).toEqual([]);
  });

  it('end what they delegated when their signal aborts, also before they began (S5)', async () => {
    const { tools, watch } = toolsOf([{ hang: true }]);
    const control = new AbortController();
    const result = tools.call('task', { prompt: 'a' }, { signal: control.signal });
    await watch.next('turn_started');

    control.abort();

    expect(await within(result, 'the result')).toMatchObject({ isError: true });
    await watch.next('task_completed', ({ outcome }) => outcome.status === 'interrupted');
    const late = tools.call('task', { prompt: 'b' }, { signal: control.signal });
    expect(await within(late, 'the result')).toMatchObject({ isError: true });
    await turns();
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('are refused while the supervisor is paused (V7)', async () => {
    const { tools, supervisor } = toolsOf([{ text: 'done' }]);
    supervisor.pause();

    const result = await within(tools.call('task', { prompt: 'a' }), 'the result');

    expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/paused/) });
  });

  it('keep what one call was too long for apart from every other call’s (C8, X20)', async () => {
    const workspace = temporaryFolder();
    const long = (letter: string): string => letter.repeat(2_000);
    const parts = { one: [{ text: long('x') }], two: [{ text: long('y') }] };
    const { supervisor } = directing(parts, { workspace });

    const paths: string[] = [];
    for (const goal of ['one', 'two']) {
      // A loop asks for its tools anew in each of its runs.
      const dialect = delegateTaskTool({ toolsets: [], maxResultChars: 1_000 });
      const tools = supervisor.session('chat').tools(dialect);
      const { content } = await within(tools.call('delegate_task', { goal }), goal);
      paths.push(/the full text is in ([^\]]+)\]/.exec(String(content))?.[1] ?? 'none');
    }

    const kept = paths.map((path) => readFileSync(join(workspace, path), 'utf8'));
    expect(kept).toEqual([long('x'), long('y')]);
  });

  it('are one session’s, however often it is asked for', () => {
    const { supervisor } = toolsOf([{ text: 'done' }]);

    expect(supervisor.session('chat')).toBe(supervisor.session('chat'));
    expect(supervisor.session('chat')).not.toBe(supervisor.session('other'));
  });

  it.each([
    [{ maxTurns: 0 }, /maxTurns is 0/],
    [{ depth: 1 }, /no option "depth"/],
  ])('refuse %j', (options, text) => {
    expect(() => taskTool(options as object)).toThrow(text);
  });

  it.each([[{ dialect: 'task' }], ['task'], [[{ name: 'task' }]], [undefined]])(
    'refuse %j, which is no tool',
    (tools) => {
      const { supervisor } = toolsOf([{ text: 'done' }]);

      expect(() => supervisor.session('chat').tools(tools as never)).toThrow(
        /delegateTaskTool\(\)/,
      );
    },
  );

  it('refuse a session without a name', () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });

    expect(() => supervisor.session('')).toThrow(/session is ""/);
  });
});
