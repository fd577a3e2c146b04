// Checks that no result of a job is lost: what `--out` refuses, where records go instead of a file, what each of them says.
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bin, folderWith, recordsIn, start, startTroupe, troupe } from '../support/command.ts';

const hello = ['run', '--goal', 'Say hello.'];
const node = { NODE: process.execPath, BIN: bin };

function linesOf(text: string): readonly Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a file that exists', () => {
  test.each(['results of a paid job', ''])(
    'with %j in it is refused before anything starts',
    async (text) => {
      const folder = folderWith({ 'results.jsonl': text });

      const { code, stdout, stderr } = await troupe(hello, folder);

      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(
        'troupe: --out results.jsonl cannot be written: it exists already; name another file, or give --resume to go on with it or --overwrite to replace it\n',
      );
      expect(readFileSync(join(folder, 'results.jsonl'), 'utf8')).toBe(text);
    },
  );

  test('is replaced with --overwrite', async () => {
    const folder = folderWith({ 'results.jsonl': `${'a longer text of before'.repeat(1_000)}\n` });

    const { code } = await troupe([...hello, '--overwrite'], folder);

    expect(code).toBe(0);
    expect(recordsIn(folder)).toMatchObject([{ status: 'completed' }]);
  });

  test('a device is none', async () => {
    const { code, stderr } = await troupe([...hello, '--out', '/dev/null'], folderWith());

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('an input is never written over, not even with --overwrite', () => {
  const tasks = '{"goal":"Say hello."}\n';

  test.each(['./tasks.jsonl', 'link.jsonl', 'hard.jsonl'])(
    'the file of tasks as %s',
    async (out) => {
      const folder = folderWith({ 'tasks.jsonl': tasks });
      symlinkSync('tasks.jsonl', join(folder, 'link.jsonl'));
      linkSync(join(folder, 'tasks.jsonl'), join(folder, 'hard.jsonl'));

      const args = ['run', 'tasks.jsonl', '--out', out, '--overwrite'];
      const { code, stderr } = await troupe(args, folder);

      expect(code).toBe(2);
      expect(stderr).toBe('troupe: tasks.jsonl cannot be read: --out would overwrite it\n');
      expect(readFileSync(join(folder, 'tasks.jsonl'), 'utf8')).toBe(tasks);
    },
  );

  test.each(['a.md', 'link.md'])('a file of --each as %s', async (out) => {
    const folder = folderWith({ 'a.md': '# A\n', 'b.md': '# B\n' });
    symlinkSync('a.md', join(folder, 'link.md'));

    const args = ['run', '--each', '*.md', '--goal', 'Read', '--out', out, '--overwrite'];
    const { code, stdout, stderr } = await troupe(args, folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `troupe: --out ${out} would overwrite a file of --each "*.md": name another file\n`,
    );
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('# A\n');
  });

  test('nor by a job with roles', async () => {
    const folder = folderWith({ 'a.md': '# A\n', 'b.md': '# B\n' });

    const job = ['run', '--roles', '--each', '*.md', '--goal', 'Sum up', '--out', 'b.md'];
    const { code } = await troupe([...job, '--overwrite'], folder);

    expect(code).toBe(2);
    expect(readFileSync(join(folder, 'b.md'), 'utf8')).toBe('# B\n');
  });
});

describe('--out -', () => {
  test.each([null, 'plain', 'none'])(
    'puts records alone on standard output, with --progress %s',
    async (kind) => {
      const progress = kind === null ? [] : ['--progress', kind];
      const folder = folderWith({ 'a.md': '# A\n', 'b.md': '# B\n' });

      const job = ['run', '--each', '*.md', '--goal', 'Read {file}', '--toolsets', 'file'];
      const { code, stdout, stderr } = await troupe([...job, '--out', '-', ...progress], folder);

      expect(code).toBe(0);
      expect(
        linesOf(stdout)
          .map(({ input }) => input)
          .sort(),
      ).toEqual(['a.md', 'b.md']);
      expect(stderr).toMatch(/^✓ a\.md +completed/m);
      expect(stderr).toMatch(/^2 results on standard output$/m);
      expect(/^start {2}a\.md$/m.test(stderr)).toBe(kind !== 'none');
      expect(readdirSync(folder).sort()).toEqual(['a.md', 'b.md']);
    },
  );

  test('ends the job when its reader leaves, and what it could not take is on standard error', async () => {
    const folder = folderWith();
    const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
    const tasks = names.map((name) => JSON.stringify({ goal: `Say ${name}.` })).join('\n');
    writeFileSync(join(folder, 'tasks.jsonl'), tasks);

    const args = ['run', 'tasks.jsonl', '--out', '-', '--concurrency', '1'];
    const running = startTroupe(args, { cwd: folder });
    await running.says('"goal":"Say t0."');
    running.child.stdout?.destroy();
    const { code, stderr } = await running.ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^stopped: the reader of standard output is gone$/m);
    expect(Number(/^(\d+) tasks? /m.exec(stderr)?.[1])).toBeLessThan(200);
  });
});

test('a file that fills up ends the job with whole lines in it, and the other records on standard error', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
  const tasks = names.map((name) => JSON.stringify({ goal: `Say ${name}.` })).join('\n');
  const cwd = folderWith({ 'tasks.jsonl': tasks });

  // No file may grow beyond 4 KiB, a few records.
  const limited = 'ulimit -f 8; exec "$NODE" "$BIN" run tasks.jsonl --concurrency 2';
  const { code, stdout, stderr } = await start('sh', ['-c', limited], { cwd, env: node }).ended;

  expect(code).toBe(1);
  expect(stdout).toMatch(/^stopped: results\.jsonl cannot be written: /m);
  const kept = recordsIn(cwd);
  const rescued = linesOf(
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n'),
  );
  expect(stdout).toContain(`${kept.length} results in results.jsonl`);
  const all = [...kept, ...rescued];
  expect(kept.length).toBeGreaterThan(0);
  expect(rescued.map(({ status }) => status)).toContain('completed');
  expect(new Set(all.map(({ taskId }) => taskId)).size).toBe(all.length);
  expect(all.map(({ line }) => line).sort(byNumber)).toEqual(all.map((_, index) => index + 1));
});

test('a full device is no reason to lose the one record there is', async () => {
  const { code, stdout, stderr } = await troupe([...hello, '--out', '/dev/full'], folderWith());

  expect(code).toBe(1);
  expect(stdout).toContain('stopped: /dev/full cannot be written: no space is left on the device');
  const [notice, record = ''] = stderr.trimEnd().split('\n');
  expect(notice).toBe(
    'troupe: /dev/full cannot be written any more: what it lacks follows, a record a line',
  );
  expect(JSON.parse(record)).toMatchObject({ status: 'completed', goal: 'Say hello.' });
});

describe('every record says its goal, its input, its line', () => {
  test('of a file of tasks', async () => {
    const lines = ['{"goal":"One."}', '', '{"goal":"Two.","metadata":{"file":"a.md"}}'];
    const folder = folderWith({ 'in/tasks.jsonl': `${lines.join('\n')}\n` });

    await troupe(['run', 'in/tasks.jsonl', '--concurrency', '1'], folder);

    const input = 'in/tasks.jsonl';
    expect(recordsIn(folder)).toMatchObject([
      { goal: 'One.', input, line: 1, parentTaskId: null },
      { goal: 'Two.', input, line: 3, parentTaskId: null, file: 'a.md' },
    ]);
  });

  test('of files, of a goal alone, and of what is delegated', async () => {
    const folder = folderWith({ 'a.md': '# A\n', 'b.md': '# B\n' });
    const each = ['run', '--each', '*.md', '--goal', 'Read {file}', '--toolsets', 'file'];

    await troupe([...each, '--out', 'each.jsonl', '--concurrency', '1'], folder);
    await troupe([...hello, '--out', 'goal.jsonl'], folder);
    await troupe([...each, '--roles', '--out', 'roles.jsonl'], folder);

    expect(recordsIn(folder, 'each.jsonl')).toMatchObject([
      { goal: 'Read a.md', input: 'a.md', line: null },
      { goal: 'Read b.md', input: 'b.md', line: null },
    ]);
    expect(recordsIn(folder, 'goal.jsonl')).toMatchObject([
      { goal: 'Say hello.', input: null, line: null },
    ]);
    const roles = recordsIn(folder, 'roles.jsonl');
    expect(roles.at(-1)).toMatchObject({ goal: 'Read {file}', input: null, parentTaskId: null });
    expect(roles.length).toBeGreaterThan(1);
    for (const { goal, input, line } of roles) {
      expect([typeof goal, input, line]).toEqual(['string', null, null]);
    }
  });
});

function byNumber(one: unknown, two: unknown): number {
  return Number(one) - Number(two);
}
