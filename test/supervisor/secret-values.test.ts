// Checks that a value which may be a key stands in no error: of a wrong option, whatever its field is called, or of the program's code.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toFailure } from '#src/base/failures.js';
import { agentTools } from '#src/dialects/claude-code/index.js';
import {
  connectMcp,
  createSupervisor,
  defineAgent,
  defineTool,
  type Message,
  type SupervisorOptions,
  type Task,
} from '#src/index.js';
import type { Script } from '#src/testing.js';
import { supervise, within } from './support.ts';

/** One that shows by its shape what it is, and one that only its field tells. */
const shaped = 'sk-ant-api03-Zx81kQ0pLm';
const plain = 'correct horse battery';

/** Whatever a call leaves behind when it refuses: thrown at once or later. */
async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was refused');
}

const tenant = { provider: 'openai', model: 'm' };
/** Choices of a model with a key at a place where none belongs, or in a shape that it cannot have. */
const choices: readonly (readonly [string, unknown])[] = [
  ['a key given as the model', shaped],
  ['a key after the name of a provider', `anthropic:${shaped}`],
  ['a key given as the name in an endpoint', { ...tenant, model: shaped }],
  ['a key given as the provider', { ...tenant, provider: shaped }],
  ['a key given as the address', { ...tenant, baseUrl: shaped, apiKey: 'k' }],
  ['an address with a password', { ...tenant, baseUrl: `http://me:${plain}@[`, apiKey: 'k' }],
  [
    'a password in the address',
    { ...tenant, baseUrl: 'https://me:hunter2hunter2@h/', apiKey: 'k' },
  ],
  ['a list of keys', { ...tenant, apiKey: [plain] }],
  ['a key in an object', { ...tenant, apiKey: { value: plain } }],
  ['the field key', { ...tenant, key: plain }],
  ['the field token', { ...tenant, token: plain }],
  ['the field authToken', { ...tenant, authToken: plain }],
  ['the field headers', { ...tenant, headers: { 'x-tenant': plain } }],
  ['a field that is itself the key', { ...tenant, [shaped]: true }],
  ['an object that is no endpoint', { url: 'https://h', token: plain }],
  ['an object that is no endpoint, deep', { url: 'https://h', options: { secret: [plain] } }],
  ['a list in a list', [[{ ...tenant, apiKey: plain }]]],
];
/** The second of a list is judged like one alone. */
const listed = choices.map(([name, model]) => [`${name}, in a list`, ['offline', model]] as const);

function expectHidden(error: unknown): void {
  const failure = toFailure(error);
  expect(failure.code).toMatch(/^(invalid_|model_|unknown_)/);
  const everything = [failure.message, JSON.stringify(failure), String(error)].join('\n');
  expect(everything).not.toContain(shaped);
  expect(everything).not.toContain(plain);
  expect(everything).not.toContain('hunter2');
}

describe('a choice of a model with a key in the wrong place', () => {
  it.each([...choices, ...listed])(
    '%s: is refused without showing it, by every door (C37)',
    async (_, model) => {
      const { supervisor } = supervise({ default: [] });
      const session = supervisor.session('s');
      const task = { goal: 'Go.', model } as never;
      const definition = { name: 'a', model } as never;
      const doors: readonly (() => unknown)[] = [
        () => createSupervisor({ model } as never),
        () => supervisor.delegate(task),
        () => supervisor.start(task),
        () => supervisor.map([task]).next(),
        () => supervisor.spawn(definition),
        () => supervisor.delegate({ goal: 'Go.', agent: definition }),
        () => session.run(task),
        () => session.start(task),
      ];

      for (const door of doors) expectHidden(await refusal(door));
    },
  );
});

describe('other options', () => {
  it.each<readonly [string, () => unknown]>([
    ['an unknown option', () => createSupervisor({ model: 'offline', apiKey: plain } as never)],
    ['an option that is a key', () => createSupervisor({ model: 'offline', [shaped]: 1 } as never)],
    ['web headers', () => createSupervisor({ model: 'offline', web: { headers: plain } } as never)],
    [
      'one web header',
      () =>
        createSupervisor({
          model: 'offline',
          web: { headers: { authorization: [plain] } },
        } as never),
    ],
    [
      'the environment of threads',
      () => createSupervisor({ model: 'offline', threads: { profile: { env: plain } } } as never),
    ],
    ['an agent', () => defineAgent({ name: 'a', maxTurns: { token: plain } } as never)],
    ['an agent named by a key', () => defineAgent({ name: `${shaped} ` })],
    [
      'a tool named by a key',
      () => defineTool({ name: `${shaped} `, description: 'd', input: {}, run: () => '' } as never),
    ],
    [
      'arguments of a server',
      () => connectMcp({ mcpServers: { s: { command: 'x', args: plain } } } as never),
    ],
    [
      'the environment of a server',
      () => connectMcp({ mcpServers: { s: { command: 'x', env: [plain] } } } as never),
    ],
    [
      'headers of a server',
      () =>
        connectMcp({ mcpServers: { s: { url: 'http://h', headers: { a: [plain] } } } } as never),
    ],
    [
      'a token of a server',
      () => connectMcp({ mcpServers: { s: { url: 'http://h', token: plain } } } as never),
    ],
  ])('%s: refused without the value (X4)', async (_, call) => {
    expectHidden(await refusal(call));
  });

  it('shows what is no secret as it was given (X4)', async () => {
    const error = await refusal(() =>
      createSupervisor({
        model: 'claude-sonnet-4-5-20250929',
        budget: { maxTokens: 'many' },
      } as never),
    );
    expect(toFailure(error).message).toContain('"many"');
    const unknown = await refusal(() => createSupervisor({ model: 'claude-sonnet-4-5-20250929' }));
    expect(toFailure(unknown).message).toContain('"claude-sonnet-4-5-20250929"');
  });
});

describe('what code of the program throws', () => {
  const broken = (): never => {
    throw Object.assign(new Error(`refused: ${shaped}`), {
      name: 'HttpError',
      detail: { sent: [shaped] },
    });
  };
  const tool = defineTool({ name: 'look', description: 'd', input: z.object({}), run: broken });
  const calls: Script = {
    default: [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'done' }],
  };

  it.each<readonly [string, Partial<SupervisorOptions>, Partial<Task>]>([
    ['a tool', { tools: [tool] }, {}],
    ['an approval', { tools: [{ ...tool, needsApproval: true }], approve: broken }, {}],
    ['a hook', { tools: [tool] }, { hooks: { beforeRun: broken, beforeTool: broken } }],
    ['a model', { model: { id: 'm', respond: broken } }, {}],
    ['a tool whose name is a key', {}, {}],
  ])(
    '%s: stands without its key in events, outcome and requests (X4)',
    async (what, options, task) => {
      const name = what.endsWith('key') ? shaped : 'look';
      const script = { default: [{ toolCalls: [{ name, input: {} }] }, { text: 'done' }] };
      const { supervisor, model, watch } = supervise(name === shaped ? script : calls, options);
      supervisor.on('task_completed', broken);

      const outcome = await within(supervisor.delegate({ goal: 'Go.', ...task }), 'the outcome');

      const failures = watch.events.flatMap((event) => ('failure' in event ? event.failure : []));
      const results = model.requests().flatMap(({ messages }) => messages.flatMap(resultsIn));
      const seen = JSON.stringify([outcome, failures, results]);
      expect(failures.length).toBeGreaterThan(0);
      expect(seen).toContain('[key]');
      expect(seen).not.toContain(shaped);
    },
  );

  it('the name of a tool that a loop of the program calls: stands without its key (X4)', async () => {
    const { supervisor } = supervise({ default: [] });
    const tools = supervisor.session('s').tools(agentTools());

    const result = await tools.call(shaped, {});

    expect(result).toMatchObject({ isError: true, failure: { code: 'unknown_tool' } });
    expect(JSON.stringify(result)).not.toContain(shaped);
  });

  it('keeps digests and ids, which an error has to name (X4)', () => {
    const digest = 'd8ec89b0a1b2c3d4e5f60718293a4b5c6d7e8f90';
    expect(toFailure(new Error(`no commit ${digest}`)).message).toContain(digest);
  });
});

function resultsIn({ content }: Message): readonly unknown[] {
  return content.filter(({ type }) => type === 'tool_result');
}
