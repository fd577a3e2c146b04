// Checks that what is wrong with an agent or a tool is told with what to write instead.
import { z } from 'zod';
import {
  type AgentOptions,
  createSupervisor,
  defineAgent,
  defineTool,
  type ToolDefinition,
} from '#src/index.js';
import { echo, model, odd, refusesAll, type WrongInput } from './wrong-input.ts';

const agent = (given: object) => () =>
  createSupervisor({ model, agents: [{ name: 'a', ...given }] });
const tool = (given: object) => () =>
  defineTool(odd<ToolDefinition<object>>({ name: 'a', description: 'd', ...given }));
const code = 'invalid_options';

const agents: readonly WrongInput[] = [
  [
    'a prompt that is misspelt',
    agent({ promt: 'x' }),
    code,
    'agents.0.promt',
    'did you mean "prompt"?',
  ],
  [
    'a prompt by another name',
    agent({ system: 'x' }),
    code,
    'agents.0.system',
    'did you mean "prompt"?',
  ],
  [
    'a toolset that is not there',
    agent({ toolsets: ['files'] }),
    'unknown_toolset',
    'agent "a"',
    'did you mean "file"?',
  ],
  [
    'a skill that is not there',
    agent({ skills: ['poem'] }),
    'unknown_skill',
    'agent "a"',
    '"poem"',
  ],
  [
    'a delegate that is misspelt',
    () =>
      createSupervisor({
        model,
        agents: [{ name: 'chief', delegates: ['clerc'] }, { name: 'clerk' }],
      }),
    'unknown_agent',
    'agent "chief": delegates names "clerc"',
    'did you mean "clerk"?',
  ],
  [
    'a delegate of a definition that a task brings',
    ({ open }) => open.delegate({ goal: 'a', agent: { name: 'x', delegates: ['clerc'] } }),
    'unknown_agent',
    'delegates names "clerc"',
    'did you mean "clerk"?',
  ],
  [
    'a delegate of a definition to spawn',
    ({ open }) => open.spawn({ name: 'x', delegates: ['nobody'] }),
    'unknown_agent',
    'delegates names "nobody"',
    'clerk',
  ],
  [
    'a tool that is misspelt',
    () => createSupervisor({ model, tools: [echo()], agents: [{ name: 'a', tools: ['ecko'] }] }),
    'unknown_tool',
    'agent "a": tools names "ecko"',
    'Did you mean "echo"?',
  ],
  [
    'a granted tool that is not there',
    agent({ grantedTools: ['echo'] }),
    'unknown_tool',
    'agent "a": grantedTools names "echo"',
    'Registered: none.',
  ],
  [
    'a toolset among the tools',
    agent({ tools: ['file'] }),
    'unknown_tool',
    'agent "a"',
    'toolsets: ["file"]',
  ],
  [
    'no definition',
    () => defineAgent(odd<AgentOptions>(null)),
    'invalid_agent',
    'defineAgent is null: expected an object',
  ],
  [
    'a model that is misspelt',
    () => defineAgent(odd<AgentOptions>({ name: 'a', modle: 'x' })),
    'invalid_agent',
    'did you mean "model"?',
  ],
  [
    'a name with a blank',
    () => defineAgent({ name: 'a b' }),
    'invalid_agent',
    'name is "a b": expected letters',
  ],
  [
    'no name',
    () => defineAgent(odd<AgentOptions>({ prompt: 'x' })),
    'invalid_agent',
    'name is undefined: expected a text',
  ],
  [
    'tools that are a text',
    () => defineAgent(odd<AgentOptions>({ name: 'a', tools: 'x' })),
    'invalid_agent',
    'tools is "x": expected a list',
  ],
  [
    'a tool that is an object',
    () => defineAgent(odd<AgentOptions>({ name: 'a', tools: [{}] })),
    'invalid_agent',
    'tools.0 is {}',
    'a tool made by defineTool',
  ],
  [
    'two prompts',
    () => defineAgent({ name: 'a', prompt: 'x', instructions: 'y' }),
    'invalid_agent',
    '2 prompts',
  ],
];

const input = z.object({});
const run = (): string => 'x';

const tools: readonly WrongInput[] = [
  [
    'no tool',
    () => defineTool(odd<ToolDefinition<object>>(null)),
    'invalid_tool',
    'must be an object, got null',
  ],
  [
    'nothing at all',
    () => defineTool(odd<ToolDefinition<object>>(undefined)),
    'invalid_tool',
    'got undefined',
  ],
  [
    'an approval that is misspelt',
    tool({ input, run, needApproval: true }),
    'invalid_tool',
    '"needApproval"',
    'did you mean "needsApproval"?',
  ],
  [
    'a time by another name',
    tool({ input, run, timeout: 3 }),
    'invalid_tool',
    'did you mean "timeoutMs"?',
  ],
  [
    'a time that is a text',
    tool({ input, run, timeoutMs: '3' }),
    'invalid_tool',
    'timeoutMs of tool "a"',
    '"3"',
  ],
  ['a time that is negative', tool({ input, run, timeoutMs: -3 }), 'invalid_tool', 'got -3'],
  [
    'an input by another name',
    tool({ inputSchema: input, run }),
    'invalid_tool',
    'did you mean "input"?',
  ],
  ['parameters', tool({ parameters: input, run }), 'invalid_tool', 'did you mean "input"?'],
  [
    'an input of JSON Schema',
    tool({ input: { type: 'object' }, run }),
    'invalid_tool',
    'z.object(',
  ],
  [
    'an input of a text',
    tool({ input: z.string(), run }),
    'invalid_tool',
    'must describe an object',
  ],
  ['code by another name', tool({ input, execute: run }), 'invalid_tool', 'did you mean "run"?'],
  ['a handler', tool({ input, handler: run }), 'invalid_tool', 'did you mean "run"?'],
  [
    'code that is a text',
    tool({ input, run: 'x' }),
    'invalid_tool',
    'run of tool "a" must be a function',
  ],
  [
    'tags that are a text',
    tool({ input, run, tags: 'x' }),
    'invalid_tool',
    'tags of tool "a" must be a list of texts',
  ],
  ['a name with a blank', tool({ input, run, name: 'a b' }), 'invalid_tool', '"a b"'],
  [
    'a blank description',
    tool({ input, run, description: ' ' }),
    'invalid_tool',
    'description of tool "a"',
  ],
];

refusesAll([...agents, ...tools]);
