// Checks agents whose terminal runs some commands alone: what runs, what is refused, and what their children may run.
import { describe, expect, it } from 'vitest';
import { taskTool } from '#src/dialects/claude-code/index.js';
import { defineAgent, loadAgentFiles } from '#src/index.js';
import type { ScriptedModel, ScriptStep } from '#src/testing.js';
import { folderOf, markdown } from '../sessions/folders.ts';
import { delegate } from './family.ts';
import { supervise, within } from './support.ts';

const runs = (...commands: readonly object[]): ScriptStep => ({
  toolCalls: commands.map((input, at) => ({ id: `c${at}`, name: 'terminal', input })),
});

/** The results that the model of an agent was shown, in their order. */
function resultsOf(model: ScriptedModel, name: string): readonly (readonly [string, boolean])[] {
  const last = model.requests().findLast(({ agent }) => agent.name === name);
  const blocks = last?.messages.flatMap(({ content }) => [...content]) ?? [];
  return blocks.flatMap((block) =>
    block.type === 'tool_result' ? [[String(block.content), block.is_error === true] as const] : [],
  );
}

describe('Bash with a pattern in an agent file', () => {
  it('runs what the patterns name, at once and in the background, and nothing else (X7)', async () => {
    const folder = folderOf({
      'tester.md': markdown(
        'name: tester\ndescription: Tests.\ntools: Read, Bash(echo one:*), Bash(echo two)',
        'You test.',
      ),
    });
    const { agents, diagnostics } = await loadAgentFiles([folder]);
    const { supervisor, model } = supervise(
      {
        agents: {
          tester: [
            runs(
              { command: 'echo one and "two; three"' },
              { command: 'echo two' },
              { command: 'echo two more' },
              { command: 'echo one && echo gone' },
              { command: 'echo one; echo gone', background: true },
              { command: 'echo one aside', background: true },
            ),
            runs({ restart: true }),
            // The end of a command in the background may be one more thing to answer.
            { text: 'tested', repeat: true },
          ],
        },
      },
      { agents },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'Test.', agent: 'tester' }),
      'the outcome',
    );

    expect(diagnostics).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed', text: 'tested' });
    const allowed = '`echo one [arguments]`, `echo two`';
    const [first] = model.requests();
    expect(first?.tools.find(({ name }) => name === 'terminal')?.description).toContain(allowed);
    const results = resultsOf(model, 'tester');
    expect(results.slice(0, 6)).toEqual([
      ['one and two; three', false],
      ['two', false],
      [expect.stringContaining(`none of those allowed. Allowed, one in each call`), true],
      [expect.stringContaining('operator &'), true],
      [expect.stringContaining('operator ;'), true],
      [expect.stringContaining('b1 runs in the background'), false],
    ]);
    expect(results[2]?.[0]).toContain(allowed);
    expect(results.slice(6)).toEqual([[expect.stringContaining('the shell was ended'), false]]);
  });
});

describe('allowedCommands', () => {
  const parent = defineAgent({
    name: 'parent',
    toolsets: ['terminal'],
    allowedCommands: ['echo:*'],
  });
  const steps = runs({ command: 'echo hello' }, { command: 'echo -n hi' }, { command: 'pwd' });

  it.each([
    ['a child without a definition', 'task'],
    ['a registered child with the whole terminal', 'whole'],
    ['a registered child with other commands', 'other'],
  ])('bound %s as well (X7)', async (_what, child) => {
    const whole = { name: 'whole', toolsets: ['terminal'] };
    const other = { ...whole, name: 'other', allowedCommands: ['pwd', 'echo hello'] };
    const call =
      child === 'task'
        ? { name: 'task', input: { prompt: 'Go on.' } }
        : { name: 'delegate', input: { agents: [child] } };
    const { supervisor, model } = supervise(
      {
        agents: {
          parent: [{ toolCalls: [call] }, { text: 'done' }],
          [child]: [steps, { text: 'child done' }],
        },
      },
      { tools: [delegate, taskTool()], agents: [parent, whole, other] },
    );

    await within(supervisor.delegate({ goal: 'Go.', agent: 'parent' }), 'the outcome');

    expect(resultsOf(model, 'parent')).toEqual([['child done', false]]);
    const refused = resultsOf(model, child).map(([, isError]) => isError);
    expect(refused).toEqual([false, child === 'other', true]);
  });

  it('are checked before a person is asked, and again for what the person makes of a command (V11)', async () => {
    const asked: unknown[] = [];
    const { supervisor, model } = supervise(
      {
        agents: {
          parent: [
            runs({ command: 'pwd' }, { command: 'echo a' }, { command: 'echo b' }),
            { text: 'done' },
          ],
        },
      },
      {
        agents: [parent],
        approval: { require: ['tag:process'] },
        approve: ({ input }) => {
          asked.push(input);
          const isFirst = JSON.stringify(input).includes('echo a');
          return { allow: 'once', input: { command: isFirst ? 'echo c' : 'echo b; pwd' } };
        },
      },
    );

    await within(supervisor.delegate({ goal: 'Go.', agent: 'parent' }), 'the outcome');

    expect(asked).toEqual([{ command: 'echo a' }, { command: 'echo b' }]);
    expect(resultsOf(model, 'parent')).toEqual([
      [expect.stringContaining('none of those allowed'), true],
      [expect.stringMatching(/changed the arguments.*echo c.*\n\nc$/s), false],
      [expect.stringMatching(/changed the arguments.*operator ;/s), true],
    ]);
  });

  it('are checked when the agent is defined', () => {
    const define = (allowedCommands: readonly string[]) => () =>
      defineAgent({ name: 'a', allowedCommands });

    expect(define(['npm test:*', ''])).toThrow(/allowedCommands.1.*it names no command/s);
    expect(define(['a * b'])).toThrow(/a \* has a meaning at its end alone/);
    expect(define(['a; b:*'])).toThrow(/operator ;/);
  });
});
