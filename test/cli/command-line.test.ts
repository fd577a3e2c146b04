// Checks what may be said on the command line, and what is answered to everything else.
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '#src/cli/command-line.js';

function optionsOf(...args: readonly string[]) {
  const command = readCommandLine(['run', ...args], '1.2.3');
  if (command.type !== 'run') throw new Error(JSON.stringify(command));
  return command.options;
}

test('a goal alone runs offline with the defaults, whatever keys are set', () => {
  expect(optionsOf('--goal', 'Look around.')).toEqual({
    input: { type: 'goal', goal: 'Look around.' },
    roles: null,
    model: 'offline',
    concurrency: 8,
    toolsets: [],
    out: 'results.jsonl',
    existing: 'refuse',
    progress: null,
    show: null,
    idleTimeoutMs: 600_000,
    journal: null,
    providerWaitMs: 600_000,
    retries: 0,
    keepsGoing: false,
    maxTurns: 50,
    budgetUsd: null,
    prices: {},
    requireApproval: [],
    approve: { type: 'patterns', patterns: [] },
  });
});

test.each([
  [['tasks.jsonl'], { input: { type: 'tasks', path: 'tasks.jsonl' } }],
  [
    ['--goal', 'Read {file}', '--each', '*.md'],
    { input: { type: 'files', goal: 'Read {file}', pattern: '*.md' } },
  ],
  [['t', '--model', 'anthropic:claude-x'], { model: 'anthropic:claude-x' }],
  [['t', '--concurrency', '64'], { concurrency: 64 }],
  [['t', '--toolsets', 'file, terminal,file,'], { toolsets: ['file', 'terminal'] }],
  [['t', '--out=x/y.jsonl'], { out: 'x/y.jsonl' }],
  [['t', '--out', 'y.jsonl', '--overwrite'], { out: 'y.jsonl', existing: 'overwrite' }],
  [['t', '--resume'], { existing: 'resume' }],
  [['t', '--out', '-'], { out: null }],
  [['t', '--out', './-'], { out: './-' }],
  [['t', '--progress', 'json'], { progress: 'json' }],
  [['t', '--show', 'failures'], { show: 'failures' }],
  [['t', '--idle-timeout', '30s'], { idleTimeoutMs: 30_000 }],
  [['t', '--provider-wait', '0'], { providerWaitMs: 0 }],
  [['t', '--provider-wait', '90s'], { providerWaitMs: 90_000 }],
  [['t', '--keep-going'], { keepsGoing: true }],
  [['t', '--retries', '2'], { retries: 2 }],
  [['t', '--max-turns', '1'], { maxTurns: 1 }],
  [['t', '--budget-usd', '.5'], { budgetUsd: 0.5 }],
  [
    ['t', '--price', 'a=1:b=3,.5', '--price', 'c=0'],
    { prices: { 'a=1:b': { inputPerMTok: 3, outputPerMTok: 0.5 }, c: 0 } },
  ],
  [
    ['--roles', '--goal', 'x', '--each', '*.md'],
    {
      input: { type: 'files', goal: 'x', pattern: '*.md' },
      roles: { maxDepth: 2, children: 3 },
      toolsets: ['file'],
    },
  ],
  [
    ['--roles', '--goal', 'x', '--max-depth', '3', '--children', '8', '--toolsets', 'web'],
    { roles: { maxDepth: 3, children: 8 }, toolsets: ['web'] },
  ],
  // npm start -- --model …: what comes last wins.
  [['t', '--model', 'offline', '--model', 'anthropic:x'], { model: 'anthropic:x' }],
])('run %j', (args, wanted) => {
  expect(optionsOf(...args)).toMatchObject(wanted);
});

test.each([
  [['init'], '.'],
  [['init', 'a/b'], 'a/b'],
])('%j names a folder', (args, folder) => {
  expect(readCommandLine(args, '1.2.3')).toEqual({ type: 'init', folder });
});

describe('refuses, naming what is wrong', () => {
  test.each([
    [['run'], 'nothing to run'],
    [['frob'], "unknown command 'frob'"],
    [['run', '--frob'], "unknown option '--frob'"],
    [['run', '--each', '*.md'], '--each needs --goal'],
    [['run', '--goal', '  '], '--goal is empty'],
    [['run', 't.jsonl', '--goal', 'x'], 'either t.jsonl or --goal'],
    [['run', 't.jsonl', '--each', 'x'], 'either t.jsonl or --each'],
    [['run', 'a', 'b'], 'too many arguments'],
    [['run', 't', '--out', ''], '--out is empty'],
    [['run', 't', '--out', '-', '--progress', 'json'], 'both write standard output'],
    [['run', 't', '--resume', '--overwrite'], 'give one of them'],
    [['run', 't', '--journal', ''], '--journal is empty'],
    [['run', 't', '--journal', './r.jsonl', '--out', 'r.jsonl'], 'give them a file each'],
    [['run', '--goal', 'x', '--keep-going'], '--keep-going is about the lines'],
    [['run', '--goal', 'x', '--roles', '--resume'], 'with --roles there is one'],
    [['run', 't', '--resume', '--out', '-'], '--resume needs the file of an earlier job'],
    [['run', 't', '--price', 'x=cheap'], 'such as my-model=3,15 or my-model=0'],
    [['run', 't', '--price', 'x=3'], 'such as my-model=3,15 or my-model=0'],
    [['run', ''], 'the name of the file of tasks is empty'],
    [['run', '--goal', 'x', '--each', ''], '--each is empty'],
    [['run', 't', '--goal'], "'--goal <text>' argument missing"],
    [['run', 't', '--concurrency', '0'], "--concurrency <n>' argument '0'"],
    [['run', 't', '--concurrency', '1.5'], "argument '1.5' is invalid"],
    [['run', 't', '--concurrency', '1e3'], "argument '1e3' is invalid"],
    [['run', 't', '--max-turns', '-1'], "argument '-1' is invalid"],
    [['run', 't', '--idle-timeout', '10'], "--idle-timeout <time>' argument '10'"],
    [['run', 't', '--budget-usd', 'two'], "--budget-usd <amount>' argument 'two'"],
    [['run', 't', '--budget-usd', '0'], "argument '0' is invalid"],
    [['run', '--roles'], 'nothing to run'],
    [['run', 't', '--roles'], '--roles plans one goal: give --goal instead of t'],
    [['run', '--goal', 'x', '--max-depth', '2'], '--max-depth needs --roles'],
    [['run', '--goal', 'x', '--children', '2'], '--children needs --roles'],
    [['run', '--goal', 'x', '--roles', '--max-depth', '4'], "--max-depth <n>' argument '4'"],
    [['run', '--goal', 'x', '--roles', '--max-depth', '0'], "--max-depth <n>' argument '0'"],
    [['run', '--goal', 'x', '--roles', '--children', '0'], "--children <n>' argument '0'"],
    [['run', 't', '--progress', 'fancy'], 'tree, plain, json, none'],
  ])('%j', (args, expected) => {
    const command = readCommandLine(args, '1.2.3');

    expect(command).toMatchObject({ type: 'misuse', text: expect.stringContaining(expected) });
  });
});

test('without arguments it introduces itself', () => {
  expect(readCommandLine([], '1.2.3')).toEqual({ type: 'introduction' });
});

test('options without a command show what there is', () => {
  expect(readCommandLine(['--'], '1.2.3')).toMatchObject({
    type: 'misuse',
    text: expect.stringMatching(/^Usage: troupe [\s\S]*\brun\b/),
  });
});

test.each([
  [['--version'], /^1\.2\.3\n$/],
  [['--help'], /^Usage: troupe /],
  [['init', '--help'], /^Usage: troupe init [\s\S]*No file is overwritten/],
  [['run', '--help'], /^Usage: troupe run [\s\S]*Exit code: 0 all completed/],
])('%j is answered', (args, expected) => {
  expect(readCommandLine(args, '1.2.3')).toMatchObject({
    type: 'text',
    text: expect.stringMatching(expected),
  });
});
