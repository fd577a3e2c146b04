// Checks that what is wrong with a call of a supervisor or of a session is told with what to write instead.
import { taskTool } from '#src/dialects/claude-code/index.js';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import type { Task } from '#src/index.js';
import { odd, refusesAll, type WrongInput } from './wrong-input.ts';

const options = 'invalid_options';
const calls: readonly WrongInput[] = [
  [
    'a signal that is misspelt',
    ({ open }) => open.delegate({ goal: 'a' }, odd({ signall: 1 })),
    options,
    'did you mean "signal"?',
  ],
  [
    'a signal without its name',
    ({ open }) => open.delegate({ goal: 'a' }, odd(new AbortController().signal)),
    options,
    '{ signal }',
  ],
  [
    'a number for options',
    ({ open }) => open.delegate({ goal: 'a' }, odd(5)),
    options,
    'delegate is 5: expected an object',
  ],
  [
    'a width of a batch',
    ({ open }) => open.delegate([], odd({ concurrency: 2 })),
    options,
    'map(tasks, { concurrency })',
  ],
  [
    'a signal of start that is a text',
    ({ open }) => open.start({ goal: 'a' }, odd({ signal: 'x' })),
    options,
    'signal is "x": expected an AbortSignal',
  ],
  [
    'an option of start that is misspelt',
    ({ open }) => open.start({ goal: 'a' }, odd({ sginal: 1 })),
    options,
    'did you mean "signal"?',
  ],
  [
    'a width of map that is misspelt',
    ({ open }) => open.map([], odd({ concurency: 1 })).next(),
    options,
    'did you mean "concurrency"?',
  ],
  [
    'a width of map that is negative',
    ({ open }) => open.map([], { concurrency: -1 }).next(),
    options,
    'concurrency is -1: expected at least 1',
  ],
  [
    'a task for a source',
    ({ open }) => open.map(odd<Task[]>({ goal: 'a' })).next(),
    options,
    'expected an iterable of tasks',
  ],
  [
    'a type for types',
    ({ open }) => open.events(odd({ type: ['log'] })),
    options,
    'did you mean "types"?',
  ],
  [
    'types that are a text',
    ({ open }) => open.events(odd({ types: 'log' })),
    options,
    'types is "log": expected a list',
  ],
  [
    'an event that is misspelt',
    ({ open }) => open.events(odd({ types: ['task_complete'] })),
    options,
    'did you mean "task_completed"?',
  ],
  [
    'a place by another name',
    ({ open }) => open.events(odd({ after: 3 })),
    options,
    'did you mean "afterSeq"?',
  ],
  [
    'a negative place',
    ({ open }) => open.events({ afterSeq: -1 }),
    options,
    'afterSeq is -1: expected at least 0',
  ],
  ['no filter', ({ open }) => open.events(odd(null)), options, 'events is null'],
  ['a list for a filter', ({ open }) => open.events(odd(['log'])), options, 'expected an object'],
  [
    'a signal of events that is none',
    ({ open }) => open.events(odd({ signal: 'x' })),
    options,
    'expected an AbortSignal',
  ],
  [
    'an event in another spelling',
    ({ open }) => open.on(odd<'log'>('taskCompleted'), () => {}),
    options,
    'did you mean "task_completed"?',
  ],
  [
    'no listener',
    ({ open }) => open.on('log', odd(undefined)),
    options,
    'a listener of log is undefined',
  ],
  [
    'an agent to spawn that is misspelt',
    ({ open }) => open.spawn('reviewr'),
    'unknown_agent',
    'did you mean "reviewer"?',
  ],
  [
    'no agent to spawn',
    ({ open }) => open.spawn(odd<string>(null)),
    'invalid_agent',
    'spawn is null: expected an object',
  ],
  [
    'an option of spawn that is misspelt',
    ({ open }) => open.spawn('clerk', odd({ nam: 'x' })),
    options,
    'did you mean "name"?',
  ],
  [
    'a deadline of ask by another name',
    async ({ open }) =>
      (await open.spawn({ name: 'asked' }, { lazy: true })).ask('a', odd({ timeout: 5 })),
    options,
    'ask: there is no option "timeout"',
    'did you mean "timeoutMs"?',
  ],
  [
    'a number for the options of ask',
    async ({ open }) =>
      (await open.spawn({ name: 'numbered' }, { lazy: true })).ask('a', odd(5_000)),
    options,
    'ask is 5000: expected an object',
  ],
  [
    'no deadline of ask',
    async ({ open }) =>
      (await open.spawn({ name: 'endless' }, { lazy: true })).ask('a', odd(undefined)),
    'ask_without_deadline',
    '{ timeoutMs: 60_000 }',
  ],
  [
    'a scope of no kind',
    ({ open }) => open.interrupt('t1', odd({ scope: 'all' })),
    options,
    '"run", "agent", "subtree"',
  ],
  ['a task that nobody knows', ({ open }) => open.interrupt('t1'), 'unknown_task', '"t1"'],
  [
    'an option of interrupt that is none',
    ({ open }) => open.interrupt('t1', odd({ force: true })),
    options,
    '"force"',
    'scope',
  ],
  [
    'a tree that is misspelt',
    ({ open }) => open.tree(odd({ end: true })),
    options,
    'did you mean "ended"?',
  ],
  [
    'a collector without a function',
    ({ open }) => open.collectProgress(odd({ onBatch: 5 })),
    options,
    'onBatch is 5: expected a function',
  ],
  [
    'a way to close of no kind',
    ({ closed }) => closed.close(odd({ fast: true })),
    options,
    'force',
  ],
  [
    'a task of a closed supervisor',
    ({ closed }) => closed.delegate({ goal: 'a' }),
    'closed',
    'closed',
  ],
  [
    'a start of a closed supervisor',
    ({ closed }) => closed.start({ goal: 'a' }),
    'closed',
    'closed',
  ],
  [
    'a spawn of a closed supervisor',
    ({ closed }) => closed.spawn({ name: 'a' }),
    'closed',
    'closed',
  ],
  [
    'a map of a closed supervisor',
    ({ closed }) => closed.map([{ goal: 'a' }]).next(),
    'closed',
    'closed',
  ],
  [
    'a session of a closed supervisor',
    ({ closed }) => closed.session('x').run({ goal: 'a' }),
    'closed',
    'closed',
  ],
];

const sessions: readonly WrongInput[] = [
  [
    'a session that is a number',
    ({ open }) => open.session(odd(5)),
    options,
    'session is 5: expected a text',
  ],
  ['a session without a name', ({ open }) => open.session(''), options, 'not empty'],
  [
    'an object that is no tool',
    ({ open }) => open.session('a').tools(odd({ dialect: 'delegate-task' })),
    options,
    'as `delegateTaskTool()` returns them',
  ],
  [
    'the name of a tool',
    ({ open }) => open.session('a').tools(odd(['task'])),
    options,
    'as `delegateTaskTool()` returns them',
  ],
  [
    'an option of a dialect that is none',
    ({ open }) => open.session('a').tools(taskTool(odd({ maxDepth: 1 }))),
    options,
    '"maxDepth"',
    'there are',
  ],
  [
    'a signal of a session that is misspelt',
    ({ open }) => open.session('a').run({ goal: 'a' }, odd({ sig: 1 })),
    options,
    'did you mean "signal"?',
  ],
  [
    'a start in a session that is misspelt',
    ({ open }) => open.session('a').start(odd<Task>({ gaol: 'a' })),
    'invalid_task',
    'did you mean "goal"?',
  ],
  [
    'a wait by another name',
    ({ open }) => open.session('a').wait('t1', odd({ timeout: 3 })),
    options,
    'did you mean "timeoutMs"?',
  ],
  [
    'a wait for a negative time',
    ({ open }) => open.session('a').wait('t1', { timeoutMs: -3 }),
    options,
    'timeoutMs is -3: expected at least 0',
  ],
  [
    'a call with a wrong option',
    ({ open }) =>
      open
        .session('a')
        .tools(taskTool())
        .call('task', {}, odd({ sig: 1 })),
    options,
    'did you mean "signal"?',
  ],
  [
    'a configuration that is misspelt',
    ({ open }) => subagentManager(open.session('a')).configure(odd({ agentss: [] })),
    options,
    'did you mean "agents"?',
  ],
  [
    'a subagent that is misspelt',
    ({ open }) => subagentManager(open.session('a')).create(odd({ nam: 'x' })),
    options,
    'did you mean "name"?',
  ],
];

refusesAll([...calls, ...sessions]);
