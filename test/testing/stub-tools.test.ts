// Checks stubs of tools: which tools they replace, what models and rights know of it, and what a test can ask of them.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askParentTool, createSupervisor, defineTool } from '#src/index.js';
import { type ScriptStep, scripted, stubTools } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { delegate } from '../supervisor/family.ts';
import { supervise, toolFixture, within } from '../supervisor/support.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up.',
  input: z.object({ id: z.coerce.number() }),
  needsApproval: ({ id }) => id === 7,
  run: () => {
    throw new Error('the real lookup ran');
  },
});

const calling = (...calls: readonly (readonly [string, object])[]): ScriptStep => ({
  toolCalls: calls.map(([name, input], at) => ({ id: `c${at}`, name, input })),
});

describe('stubTools', () => {
  it('answers in the place of registered, built-in and module tools, all else being the same', async () => {
    const workspace = temporaryFolder();
    const stubs = stubTools({
      lookup: ({ id }) => ({ found: id }),
      write: ({ path }, tool) => {
        tool.progress(0.5, 'half');
        return `wrote nothing to ${path} of ${tool.agent.name}`;
      },
      terminal: () => {
        throw new Error('no shell today');
      },
      echo: ({ text }) => `stubbed ${text}`,
    });
    const calls = calling(
      ['lookup', { id: '3' }],
      ['lookup', { id: 'x' }],
      ['write', { path: 'a.txt', content: 'hello' }],
      ['write', { path: 'a.txt' }],
      ['terminal', { command: 'touch b.txt' }],
      ['echo', { text: 'hi' }],
      ['echo', { text: 7 }],
      ['list', {}],
    );
    const options = { tools: [lookup, toolFixture('plain')], workspace };
    const task = { goal: 'Go.', toolsets: ['file', 'terminal'] };
    const run = async (more: object) => {
      const script = { default: [calls, { text: 'done' }] };
      const { supervisor, model, watch } = supervise(script, { ...options, ...more });
      const outcome = await within(supervisor.delegate(task), 'the outcome');
      return { outcome, model, watch };
    };

    const { outcome, model, watch } = await run({ stubs });

    expect(outcome).toMatchObject({ status: 'completed', toolCalls: 8 });
    expect(model.requests()[1]?.messages.at(-1)?.content).toMatchObject([
      { content: '{"found":3}' },
      { is_error: true, content: expect.stringContaining('id') },
      { content: expect.stringMatching(/^wrote nothing to a.txt of /) },
      { is_error: true, content: expect.stringContaining('content') },
      { is_error: true, content: 'Tool "terminal" failed: no shell today' },
      { content: 'stubbed hi' },
      { is_error: true, content: expect.stringContaining('text') },
      { content: '(empty folder)' },
    ]);
    expect(existsSync(`${workspace}/a.txt`) || existsSync(`${workspace}/b.txt`)).toBe(false);
    expect(watch.of('tool_progress')).toMatchObject([{ fraction: 0.5, note: 'half' }]);
    const { path } = outcome.agent;
    expect(stubs.calls()).toEqual([
      { name: 'lookup', input: { id: 3 }, path },
      { name: 'write', input: { path: 'a.txt', content: 'hello' }, path },
      { name: 'terminal', input: { command: 'touch b.txt' }, path },
      { name: 'echo', input: { text: 'hi' }, path },
    ]);
    stubs.assertCalled();
    const original = await run({});
    expect(model.requests()[0]?.tools).toEqual(original.model.requests()[0]?.tools);
  });

  it('leaves it to rights, approval and allowed commands what may be called', async () => {
    const ask = askParentTool();
    const stubs = stubTools({
      lookup: () => 'found',
      terminal: () => 'ran',
      write: () => 'wrote',
      [ask.name]: () => 'the stub answers',
    });
    const { supervisor, model } = supervise(
      {
        agents: {
          parent: [calling(['delegate', { agents: ['child'] }]), { text: 'done' }],
          child: [
            calling(
              ['lookup', { id: 7 }],
              ['terminal', { command: 'git diff' }],
              ['terminal', { command: 'git push' }],
              ['write', { path: 'a', content: 'b' }],
              [ask.name, { question: 'Who?' }],
            ),
            { text: 'child done' },
          ],
        },
      },
      {
        stubs,
        tools: [lookup, delegate, ask],
        agents: [
          { name: 'parent' },
          {
            name: 'child',
            toolsets: ['terminal', 'file'],
            disallowedTools: ['tag:write'],
            allowedCommands: ['git diff'],
          },
        ],
      },
    );

    await within(supervisor.delegate({ goal: 'Go.', agent: 'parent' }), 'the outcome');

    const last = model.requests().findLast(({ agent }) => agent.name === 'child');
    expect(last?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: expect.stringContaining('approval') },
      { content: 'ran' },
      { is_error: true, content: expect.stringContaining('`git diff`') },
      { is_error: true, content: expect.stringContaining('no tool "write"') },
      { content: 'the stub answers' },
    ]);
    expect(() => stubs.assertCalled()).toThrow(/never called: "lookup", "write"/);
  });

  it('is refused for a tool that does not exist', () => {
    const create =
      (names: readonly string[], more: object = {}) =>
      () =>
        createSupervisor({
          model: scripted({ default: [] }),
          stubs: stubTools(Object.fromEntries(names.map((name) => [name, () => 'ok']))),
          ...more,
        });

    expect(create(['lookup', 'wriet'], { tools: [lookup] })).toThrow(/no tool "wriet".*"write"/);
    expect(create(['lookup'])).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
  });

  it('is checked when it is made, and when it is given', () => {
    expect(() => stubTools({ write: 'ok' as never })).toThrow(/write is "ok": expected a function/);
    expect(() =>
      createSupervisor({
        model: scripted({ default: [] }),
        stubs: { write: () => 'ok' } as never,
      }),
    ).toThrow(/stubs.*expected what stubTools/s);
  });
});
