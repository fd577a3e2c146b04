// Checks `--resume`: what is completed is never paid twice, what is not is run, and no line of the file is lost or torn.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, recordsIn, startTroupe, troupe } from '../support/command.ts';

const documents = { 'a.md': '# A\n', 'b.md': '# B\n', 'c.md': '# C\n' };
const readEach = ['run', '--each', '*.md', '--goal', 'Read {file}', '--toolsets', 'file'];

const resultsOf = (folder: string) => readFileSync(join(folder, 'results.jsonl'), 'utf8');

/** Rewrites the records of a folder. */
function change(folder: string, edit: (record: Record<string, unknown>) => object): string {
  const lines = recordsIn(folder).map((record) => `${JSON.stringify(edit({ ...record }))}\n`);
  writeFileSync(join(folder, 'results.jsonl'), lines.join(''));
  return lines.join('');
}

/** How often each goal is completed. */
function completedIn(folder: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { goal, status } of recordsIn(folder)) {
    if (status === 'completed') counts[String(goal)] = (counts[String(goal)] ?? 0) + 1;
  }
  return counts;
}

describe('--resume', () => {
  test('runs what is not completed, and adds it behind the whole lines', async () => {
    const folder = folderWith(documents);
    await troupe(readEach, folder);
    const before = change(folder, (record) =>
      record['file'] === 'b.md' ? { ...record, status: 'failed' } : record,
    );
    appendFileSync(join(folder, 'results.jsonl'), '{"input":"c.md","torn');

    const { code, stdout, stderr } = await troupe([...readEach, '--resume'], folder);

    expect(code).toBe(0);
    expect(stderr).toBe('troupe: resuming: 2 of 3 tasks completed in results.jsonl, 1 to run\n');
    expect(stdout.match(/^start.*$/gm)).toEqual(['start  b.md']);
    expect(stdout).toMatch(/^4 results in results\.jsonl$/m);
    expect(resultsOf(folder).startsWith(before)).toBe(true);
    expect(recordsIn(folder).slice(3)).toMatchObject([{ file: 'b.md', status: 'completed' }]);
  });

  test('starts nothing when all is completed', async () => {
    const folder = folderWith(documents);
    await troupe(readEach, folder);
    const before = resultsOf(folder);

    const { code, stdout, stderr } = await troupe([...readEach, '--resume'], folder);

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe('troupe: nothing to run: 3 of 3 tasks completed in results.jsonl\n');
    expect(resultsOf(folder)).toBe(before);
  });

  test('runs everything where there is no file yet, or another goal', async () => {
    const folder = folderWith(documents);

    const first = await troupe([...readEach, '--resume'], folder);
    const other = ['run', '--each', '*.md', '--goal', 'Look at {file}', '--resume'];
    const second = await troupe(other, folder);

    expect([first.code, first.stderr, second.code]).toEqual([0, '', 0]);
    expect(second.stderr).toMatch(/resuming: 0 of 3 tasks completed in results.jsonl, 3 to run/);
    expect(Object.values(completedIn(folder))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('counts tasks that are there twice', async () => {
    const twice = '{"goal":"Say hello."}\n{"goal":"Say hello."}\n';
    const folder = folderWith({ 'tasks.jsonl': twice });
    const job = ['run', 'tasks.jsonl', '--concurrency', '1'];
    await troupe(job, folder);
    writeFileSync(join(folder, 'results.jsonl'), `${resultsOf(folder).split('\n')[0]}\n`);

    const { stderr } = await troupe([...job, '--resume'], folder);

    expect(stderr).toMatch(/resuming: 1 of 2 tasks completed/);
    expect(completedIn(folder)).toEqual({ 'Say hello.': 2 });
  });

  test('tells tasks of one goal by their lines', async () => {
    const lines = ['A', 'B', 'C'].map((context) => JSON.stringify({ goal: 'Sum up.', context }));
    const folder = folderWith({ 'tasks.jsonl': lines.join('\n') });
    const job = ['run', 'tasks.jsonl', '--concurrency', '1'];
    await troupe(job, folder);
    writeFileSync(join(folder, 'results.jsonl'), `${resultsOf(folder).split('\n')[2]}\n`);

    await troupe([...job, '--resume'], folder);

    expect(recordsIn(folder).map(({ line }) => line)).toEqual([3, 1, 2]);
  });

  test('finds a task whose file is named in another way, and passes over empty lines', async () => {
    const folder = folderWith({ 'tasks.jsonl': '{"goal":"Say hello."}\n' });
    await troupe(['run', 'tasks.jsonl'], folder);
    appendFileSync(join(folder, 'results.jsonl'), '\n');

    const { stderr } = await troupe(['run', './tasks.jsonl', '--resume'], folder);

    expect(stderr).toBe('troupe: nothing to run: 1 of 1 task completed in results.jsonl\n');
  });

  test.each([
    ['a note of mine\n', 'its line 1 is no result of a job'],
    ['[1]\n', 'its line 1 is no result of a job'],
    ['{"precious":1}', 'it has no result of a job'],
  ])('refuses a file with %j in it, and leaves it as it was', async (text, why) => {
    const folder = folderWith({ ...documents, 'results.jsonl': text });

    const { code, stdout, stderr } = await troupe([...readEach, '--resume'], folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`troupe: --out results.jsonl cannot be resumed: ${why}\n`);
    expect(resultsOf(folder)).toBe(text);
  });

  test('finishes a job whose process was killed, each task once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
    const tasks = names.map((name) => JSON.stringify({ goal: `Say ${name}.` })).join('\n');
    const folder = folderWith({ 'tasks.jsonl': tasks });
    const job = ['run', 'tasks.jsonl', '--concurrency', '1'];
    const running = startTroupe(job, { cwd: folder });
    await running.says(/^end {4}Say t5\./m);
    running.child.kill('SIGKILL');
    await running.ended;
    const kept = resultsOf(folder).split('\n').length - 1;

    const { code, stdout } = await troupe([...job, '--resume'], folder);

    expect(code).toBe(0);
    expect(kept).toBeGreaterThanOrEqual(5);
    expect(stdout.match(/^start/gm)).toHaveLength(60 - kept);
    expect(completedIn(folder)).toEqual(
      Object.fromEntries(names.map((name) => [`Say ${name}.`, 1])),
    );
  });
});
