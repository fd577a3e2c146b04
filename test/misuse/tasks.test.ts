// Checks that what is wrong with a task is told with what to write instead.
import { z } from 'zod';
import type { Task } from '#src/index.js';
import { type Ground, odd, refusesAll, type WrongInput } from './wrong-input.ts';

const task =
  (given: unknown) =>
  ({ open }: Ground) =>
    open.delegate(odd<Task>(given));
const goal = (given: object) => task({ goal: 'a', ...given });
const ring: Record<string, unknown> = {};
ring['self'] = ring;
const code = 'invalid_task';

const tasks: readonly WrongInput[] = [
  ['nothing', task(undefined), code, 'task is undefined: expected an object'],
  ['a text', task('Do it.'), code, 'task is "Do it.": expected an object'],
  ['a function', task(() => 1), code, 'task is a function'],
  ['a list in a list', task([[{ goal: 'a' }]]), code, 'expected an object'],
  ['a goal that is misspelt', task({ gaol: 'a' }), code, 'did you mean "goal"?'],
  ['a goal by another name', task({ task: 'a' }), code, 'did you mean "goal"?'],
  ['a prompt for a goal', task({ prompt: 'a' }), code, '`goal`'],
  ['a system prompt', goal({ systemPrompt: 'x' }), code, 'agent: { name, prompt }'],
  [
    'a signal in the task',
    goal({ signal: new AbortController().signal }),
    code,
    'delegate(task, { signal })',
  ],
  ['a blank goal', task({ goal: ' ' }), code, 'goal is " "', 'not blank'],
  ['a goal that is a number', task({ goal: 5 }), code, 'goal is 5: expected a text'],
  [
    'a context that is an object',
    goal({ context: { a: 1 } }),
    code,
    'context is {"a":1}: expected a text',
  ],
  ['a time by another name', goal({ timeout: 5 }), code, 'did you mean "totalTimeoutMs"?'],
  ['turns that are a text', goal({ maxTurns: '5' }), code, 'maxTurns is "5": expected a number'],
  ['no turn', goal({ maxTurns: 0 }), code, 'maxTurns is 0: expected at least 1'],
  ['a temperature too high', goal({ temperature: 3 }), code, 'expected at most 2'],
  ['an effort of no kind', goal({ effort: 'hi' }), code, 'expected one of "low"'],
  ['a role that is misspelt', goal({ role: 'orchestrater' }), code, 'did you mean "orchestrator"?'],
  [
    'an agent that is misspelt',
    goal({ agent: 'reviewr' }),
    'unknown_agent',
    'did you mean "reviewer"?',
    'clerk',
  ],
  [
    'an agent that is a number',
    goal({ agent: 5 }),
    code,
    'agent is 5: expected a text, or an object',
  ],
  [
    'a definition that is misspelt',
    goal({ agent: { name: 'x', promt: 'y' } }),
    code,
    'agent.promt',
    'did you mean "prompt"?',
  ],
  ['tools that are a text', goal({ tools: 'file' }), code, 'tools is "file": expected a list'],
  ['a tool that is misspelt', goal({ tools: ['ecko'] }), 'unknown_tool', 'Did you mean "echo"?'],
  ['a toolset among the tools', goal({ tools: ['file'] }), 'unknown_tool', 'toolsets: ["file"]'],
  ['a tool of a toolset', goal({ tools: ['grep'] }), 'unknown_tool', 'toolsets: ["file"]'],
  [
    'the path of a module',
    goal({ tools: ['./tools.js'] }),
    'unknown_tool',
    'new URL("./tools.js", import.meta.url)',
  ],
  [
    'a toolset that is misspelt',
    goal({ toolsets: ['files'] }),
    'unknown_toolset',
    'did you mean "file"?',
  ],
  ['a tool among the toolsets', goal({ toolsets: ['echo'] }), 'unknown_toolset', 'tools: ["echo"]'],
  ['a skill that is not there', goal({ skills: ['x'] }), 'unknown_skill', 'there are none'],
  [
    'a module that is missing',
    goal({ tools: [new URL('file:///nope/tools.js')] }),
    'tool_module_failed',
    'file:///nope/tools.js',
  ],
  [
    'a module of the web',
    goal({ tools: [new URL('http://localhost/x.js')] }),
    'tool_module_failed',
    'http://localhost/x.js',
  ],
  [
    'a module that is broken',
    goal({ tools: [new URL('data:text/javascript,(')] }),
    'tool_module_failed',
    'data:text/javascript',
  ],
  ['a schema of JSON', goal({ outputSchema: { type: 'object' } }), code, 'z.object('],
  ['a schema of a text', goal({ outputSchema: z.string() }), code, 'must describe an object'],
  [
    'outputs that are a list',
    goal({ outputs: ['x'] }),
    code,
    'outputs is ["x"]: expected an object',
  ],
  ['no outputs', goal({ outputs: {} }), code, 'at least one variable'],
  [
    'an output of a wrong name',
    goal({ outputs: { 'a b': 'x' } }),
    code,
    'outputs.a b',
    'expected letters',
  ],
  ['a choice of no kind', goal({ toolChoice: 'any' }), code, '"auto", "required", "none"'],
  [
    'a choice by another name',
    goal({ toolChoice: { name: 'x' } }),
    code,
    'toolChoice.name',
    'tool',
  ],
  ['a hook that is misspelt', goal({ hooks: { beforeTol() {} } }), code, 'beforeTool'],
  [
    'hooks that are a text',
    goal({ hooks: 'x' }),
    code,
    'expected an object of hooks, or the URL of a module',
  ],
  [
    'a history of robots',
    goal({ history: [{ role: 'robot', content: 'x' }] }),
    code,
    'history.0.role',
    '"user"',
  ],
  [
    'a memory that is misspelt',
    goal({ memory: { maxMessage: 3 } }),
    code,
    'did you mean "maxMessages"?',
  ],
  ['turns in the loop', goal({ loop: { maxTurns: 3 } }), code, 'loop.maxTurns', 'it is "maxTurns"'],
  ['a folder that is relative', goal({ workspace: 'here' }), code, 'expected an absolute path'],
  ['metadata that is a list', goal({ metadata: [1] }), code, 'metadata is [1]: expected an object'],
  [
    'metadata with a function',
    goal({ metadata: { f() {} } }),
    code,
    'metadata.f is a function',
    'plain data',
  ],
  [
    'metadata with a promise',
    goal({ metadata: { p: Promise.resolve() } }),
    code,
    'metadata.p is an instance of Promise',
  ],
  [
    'metadata with a symbol',
    goal({ metadata: { [Symbol('x')]: 1 } }),
    code,
    'metadata.Symbol(x)',
    'expected a text',
  ],
  ['metadata without end', goal({ metadata: ring }), code, 'metadata', 'plain data'],
];

refusesAll(tasks);
