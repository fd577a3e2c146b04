// Checks that what is wrong with the options of a supervisor is told with what to write instead.
import { createSupervisor, type SupervisorOptions } from '#src/index.js';
import { echo, model, odd, refusesAll, type WrongInput } from './wrong-input.ts';

const options = (given: object) => () =>
  createSupervisor({ model, ...odd<Partial<SupervisorOptions>>(given) });
const code = 'invalid_options';

const supervisors: readonly WrongInput[] = [
  ['a limit at the top', options({ maxLiveAgents: 3 }), code, 'it is "limits.maxLiveAgents"'],
  ['turns at the top', options({ maxTurns: 3 }), code, 'it is "budget.maxTurns"'],
  ['a clock at the top', options({ idleTimeoutMs: 3 }), code, 'it is "timeouts.idleTimeoutMs"'],
  ['a cost at the top', options({ maxCostUsd: 5 }), code, 'it is "budget.maxCostUsd"'],
  [
    'a limit in the budget',
    options({ budget: { maxSpawnDepth: 1 } }),
    code,
    'budget.maxSpawnDepth',
    'it is "limits.maxSpawnDepth"',
  ],
  ['a name cut short', options({ limit: {} }), code, 'did you mean "limits"?'],
  ['one for many', options({ agent: [] }), code, 'did you mean "agents"?'],
  ['one tool for many', options({ tool: [] }), code, 'did you mean "tools"?'],
  ['a word of other libraries', options({ maxConcurrency: 4 }), code, 'limits.maxLiveAgents'],
  ['a key beside the model', options({ apiKey: 'x' }), code, 'apiKey', '`credentials`'],
  ['a system prompt', options({ systemPrompt: 'x' }), code, 'agents: [{ name, prompt }]'],
  ['MCP servers', options({ mcpServers: {} }), code, 'connectMcp'],
  ['hooks of no agent', options({ hooks: {} }), code, 'an agent or a task'],
  ['a field of nobody', options({ colour: 'red' }), code, '"colour"', 'there are: model, limits'],
  ['a budget that is a number', options({ budget: 5 }), code, 'budget is 5: expected an object'],
  [
    'a negative budget',
    options({ budget: { maxCostUsd: -1 } }),
    code,
    'budget.maxCostUsd is -1: expected more than 0',
  ],
  [
    'half an agent',
    options({ limits: { maxLiveAgents: 1.5 } }),
    code,
    'limits.maxLiveAgents is 1.5: expected a whole number',
  ],
  [
    'a text for a number',
    options({ limits: { maxQueued: '9' } }),
    code,
    'limits.maxQueued is "9": expected a number',
  ],
  [
    'a word of no list',
    options({ limits: { overflow: 'drop' } }),
    code,
    'expected one of "queue", "reject"',
  ],
  ['threads that are a number', options({ threads: 4 }), code, 'threads is 4: expected an object'],
  [
    'threads by another name',
    options({ threads: { min: 4 } }),
    code,
    'threads.min',
    'did you mean "prewarm"?',
  ],
  ['an entry that is a path', options({ threads: { workerUrl: './x.js' } }), code, 'new URL('],
  [
    'a logger that is none',
    options({ logger: {} }),
    code,
    'logger is {}: expected an object with warn and error',
  ],
  ['a chance that is a number', options({ random: 1 }), code, 'random is 1: expected a function'],
  [
    'an approval that is a yes',
    options({ approve: true }),
    code,
    'approve is true: expected a function',
  ],
  [
    'a folder that is not there',
    options({ workspace: '/nope' }),
    code,
    'expected a folder that exists',
  ],
  ['a folder that is a number', options({ workspace: 3 }), code, 'workspace is 3: expected a text'],
  [
    'transcripts that are a path',
    options({ transcripts: '/tmp' }),
    code,
    'transcripts is "/tmp": expected an object',
  ],
  [
    'a directory by a short name',
    options({ transcripts: { dir: '/tmp' } }),
    code,
    'did you mean "directory"?',
  ],
  [
    'a search that is misspelt',
    options({ web: { serch: 1 } }),
    code,
    'web.serch',
    'did you mean "search"?',
  ],
  [
    'the name of a toolset as one',
    options({ toolsets: ['file'] }),
    code,
    'toolsets.0 is "file"',
    'agents and tasks name',
  ],
  ['toolsets that are no list', options({ toolsets: {} }), code, 'toolsets is {}: expected a list'],
  [
    'a toolset among the tools',
    options({ tools: ['file'] }),
    code,
    'tools.0 is "file"',
    'toolsets: ["file"]',
  ],
  [
    'the path of a module',
    options({ tools: ['./tools.js'] }),
    code,
    'new URL("./tools.js", import.meta.url)',
  ],
  [
    'a function for a tool',
    options({ tools: [() => 1] }),
    code,
    'tools.0',
    'a tool made by defineTool',
  ],
  [
    'a tool that nobody made',
    options({ tools: [{ name: 'a' }] }),
    code,
    'tools.0',
    'a tool made by defineTool',
  ],
  ['a tool for a list', options({ tools: echo() }), code, 'tools is', 'expected a list'],
  ['agents that are no list', options({ agents: { name: 'a' } }), code, 'expected a list'],
  [
    'an agent that is a name',
    options({ agents: ['a'] }),
    code,
    'agents.0 is "a": expected an object',
  ],
  [
    'two agents of one name',
    options({ agents: [{ name: 'a' }, { name: 'a' }] }),
    'invalid_agent',
    'two are named "a"',
  ],
  [
    'two skills of one name',
    options({
      skills: [
        { name: 'a', description: 'b' },
        { name: 'a', description: 'b' },
      ],
    }),
    code,
    'two skills have one name',
  ],
  [
    'a list for options',
    () => createSupervisor(odd([])),
    code,
    'createSupervisor is []: expected an object',
  ],
  [
    'a function for options',
    () => createSupervisor(odd(() => 1)),
    code,
    'is a function: expected an object',
  ],
];

const models: readonly WrongInput[] = [
  ['no model', () => createSupervisor(odd({})), 'model_missing', "'offline'"],
  ['a model that is a number', options({ model: 4 }), code, 'model is 4: expected a model'],
  [
    'a model without its maker',
    options({ model: 'claude-sonnet-5' }),
    'model_unknown',
    'anthropic:<model id>',
    'did you mean "anthropic:claude-sonnet-5"?',
  ],
  [
    'a model of a misspelt maker',
    options({ model: 'antropic:claude-sonnet-5' }),
    'model_unknown',
    'did you mean "anthropic:claude-sonnet-5"?',
  ],
  [
    'a model in another spelling',
    options({ model: 'Offline' }),
    'model_unknown',
    'did you mean "offline"?',
  ],
  [
    'a provider that is misspelt',
    options({ model: { provider: 'anthropics', model: 'x' } }),
    code,
    'model.provider',
    'did you mean "anthropic"?',
  ],
  [
    'an address by another name',
    options({ model: { provider: 'openai', model: 'x', baseURL: 'http://x' } }),
    code,
    'model.baseURL',
    'did you mean "baseUrl"?',
  ],
  [
    'an address that is none',
    options({ model: { model: 'x', baseUrl: 'here' } }),
    code,
    'baseUrl must be a URL',
    '"here"',
  ],
  [
    'an endpoint without a model',
    options({ model: { baseUrl: 'http://localhost:1/v1', apiKey: 'a' } }),
    code,
    'model must be the name of a model',
  ],
  [
    'credentials that are no list',
    options({ credentials: { apiKey: 'x' } }),
    code,
    'credentials: expected a list',
  ],
  [
    'credentials of nobody',
    options({ credentials: [{ provider: 'antropic', keys: ['abc'] }] }),
    code,
    'credentials.0.provider',
    'did you mean "anthropic"?',
  ],
  [
    'one key for many',
    options({ credentials: [{ provider: 'anthropic', key: 'abc' }] }),
    code,
    'credentials.0',
    'did you mean "keys"?',
  ],
  [
    'one key twice',
    options({ credentials: [{ provider: 'anthropic', keys: ['abc', 'abc'] }] }),
    code,
    'one key is there twice',
  ],
];

refusesAll([...supervisors, ...models]);
