// Checks `troupe run --roles` as a user has it: one orchestrator over real files, the offline model, real threads.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Ended, folderWith, recordsIn, troupe } from '../support/command.ts';
import { treeOfFiles } from '../support/tree-of-files.ts';

const goal = 'Summarise this project';
const rolesRun = ['run', '--roles', '--goal', goal, '--each', '**/*.{md,ts}'];
const opens = ['the bolt', 'the nut', 'the rod', 'the saw', 'the file', 'the vice'];

type ResultRecord = ReturnType<typeof recordsIn>[number];

/** Records as a tree of the first lines of their goals. */
function treeOf(records: readonly ResultRecord[], parent: unknown = null): unknown {
  return records
    .filter(({ parentTaskId }) => parentTaskId === parent)
    .map(({ goal, taskId }) => [String(goal).split('\n')[0], treeOf(records, taskId)])
    .sort();
}

describe('one run over two levels of folders', () => {
  let run: Ended & { readonly records: readonly ResultRecord[] };

  beforeAll(async () => {
    const folder = folderWith(treeOfFiles);
    run = { ...(await troupe(rolesRun, folder)), records: recordsIn(folder) };
  });

  test('plans both levels, and every task has a line in the results', () => {
    const { code, stdout, stderr, records } = run;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(treeOf(records)).toEqual([
      [
        goal,
        [
          ['docs/ (2 files):', []],
          [
            'lib/ (6 files):',
            [
              ['lib/core/ (3 files):', []],
              ['lib/tools/ (3 files):', []],
            ],
          ],
        ],
      ],
    ]);
    expect(records.map(({ status, model, isEstimated }) => [status, model, isEstimated])).toEqual(
      Array.from({ length: 5 }, () => ['completed', 'offline', true]),
    );
    const root = records.at(-1);
    const text = String(root?.['text']);
    expect(text).toMatch(/^8 files in 2 parts, each given to a subagent: 2 completed\./);
    for (const opening of opens) expect(text).toContain(`> > Opens with: “Owns ${opening}.”`);
    expect(text).toContain('Headings (1): Guide');
    expect(stdout).toContain(text);
    expect(stdout).toMatch(/^1 task · 1 completed · 4 subtasks: 4 completed · /m);
    expect(stdout).toMatch(/^5 results in results\.jsonl$/m);
  });

  test('plain lines name each subtask by its parent and its place, and tell its tool calls (C42)', () => {
    const { stdout } = run;
    const lines = stdout.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `start  ${goal}`,
        `tool   ${goal}  delegate_task`,
        `start  ${goal} ▸ docs/ (2 files) [1/2]`,
        `tool   ${goal} ▸ docs/ (2 files) [1/2]  read`,
        `tool   ${goal} ▸ lib/ (6 files) [2/2]  delegate_task`,
        'start  lib/ (6 files) ▸ lib/tools/ (3 files) [2/2]',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('end '))).toHaveLength(5);
    expect(stdout).toMatch(
      /^end {4}lib\/ \(6 files\) ▸ lib\/core\/ \(3 files\) \[1\/2\] {2}completed {2}2 turns {2}3 tool calls/m,
    );
  });

  test('the totals of the root are those of its branch (C45)', () => {
    const records = run.records as readonly {
      readonly usage: Record<'own' | 'subtree', { readonly inputTokens: number }>;
    }[];
    const own = records.reduce((sum, { usage }) => sum + usage.own.inputTokens, 0);
    expect(records.at(-1)?.usage.subtree.inputTokens).toBe(own);
  });
});

test.each([
  ['1', '1'],
  ['1', '3'],
  ['2', '1'],
])('finishes with %s live agents and %s children a call (V7)', async (concurrency, children) => {
  const folder = folderWith(treeOfFiles);

  const limits = ['--concurrency', concurrency, '--children', children];
  const { code } = await troupe([...rolesRun, ...limits, '--progress', 'none'], folder);

  expect(code).toBe(0);
  const records = recordsIn(folder);
  expect(records).toHaveLength(5);
  for (const opening of opens) expect(records.at(-1)?.['text']).toContain(`Owns ${opening}.`);
});

test('a lower --max-depth makes every subagent a leaf, and still every file is read', async () => {
  const folder = folderWith(treeOfFiles);

  const { code } = await troupe([...rolesRun, '--max-depth', '1', '--progress', 'none'], folder);

  expect(code).toBe(0);
  const records = recordsIn(folder);
  expect(records.map(({ agent }) => (agent as { depth: number }).depth).sort()).toEqual([
    0, 1, 1, 1,
  ]);
  for (const opening of opens) expect(records.at(-1)?.['text']).toContain(`Owns ${opening}.`);
});

test('a goal alone makes the orchestrator look around by itself', async () => {
  const folder = folderWith(treeOfFiles);

  const { code } = await troupe(['run', '--roles', '--goal', 'Summarise lib/ for me'], folder);

  expect(code).toBe(0);
  const records = recordsIn(folder);
  expect(records.map(({ goal: firstGoal }) => String(firstGoal).split('\n')[0]).sort()).toEqual([
    'Summarise lib/ for me',
    'lib/core/ (3 files):',
    'lib/tools/ (3 files):',
  ]);
});

describe('an empty folder', () => {
  test('is named when files were asked for', async () => {
    const folder = folderWith();

    const { code, stderr } = await troupe(rolesRun, folder);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^troupe: no file matches --each "\*\*\/\*\.\{md,ts\}" in /);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is what the answer says when the orchestrator looked by itself', async () => {
    const { code, stdout } = await troupe(['run', '--roles', '--goal', goal], folderWith());

    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing was found to read/m);
  });
});

test('one file that cannot be read costs its own part only', async () => {
  const folder = folderWith(treeOfFiles);
  mkdirSync(join(folder, 'docs/odd.md'));

  const { code } = await troupe(
    ['run', '--roles', '--goal', 'Read docs/odd.md and docs/guide.md', '--progress', 'none'],
    folder,
  );

  expect(code).toBe(0);
  const text = String(recordsIn(folder).at(-1)?.['text']);
  expect(text).toContain('read docs/odd.md failed: ');
  expect(text).toContain('Headings (1): Guide');
});

describe('misuse is one line, exit code 2, and nothing is started', () => {
  test.each([
    [['run', 'tasks.jsonl', '--roles'], /--roles plans one goal: .* instead of tasks\.jsonl/],
    [[...rolesRun, '--max-depth', '9'], /--max-depth <n>' argument '9' is invalid/],
    [[...rolesRun, '--toolsets', 'cobweb'], /no toolset "cobweb"/],
  ])('%j', async (args, expected) => {
    const folder = folderWith({ 'tasks.jsonl': '{"goal":"x"}\n' });

    const { code, stdout, stderr } = await troupe(args, folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(readdirSync(folder)).toEqual(['tasks.jsonl']);
  });
});

test('json stays one event per line, with the place of each task in its call', async () => {
  const { stdout } = await troupe([...rolesRun, '--progress', 'json'], folderWith(treeOfFiles));

  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const queued = events.filter(({ type }) => type === 'task_queued');
  expect(queued.map(({ depth, index, width, name }) => [depth, index, width, name])).toEqual([
    [0, 0, 1, 'orchestrator'],
    [1, 0, 2, 'subagent'],
    [1, 1, 2, 'orchestrator'],
    [2, 0, 2, 'subagent'],
    [2, 1, 2, 'subagent'],
  ]);
});
