// Checks `troupe journal` on the file of a real job: counts, damage, one task, all tasks, what is forgotten, wrong arguments.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSupervisor, sqlite } from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { folderWith, recordsIn, troupe } from '../support/command.ts';

async function jobIn(): Promise<string> {
  const cwd = folderWith({ 'a.md': 'a', 'b.md': 'b' });
  const goal = ['--goal', 'Read {file}', '--toolsets', 'file', '--concurrency', '1'];
  await troupe(['run', '--each', '*.md', ...goal, '--journal', 'job.db'], cwd);
  return cwd;
}

test('counts, exports and forgets what is in the file', async () => {
  const cwd = await jobIn();
  const [first] = recordsIn(cwd);

  const stats = await troupe(['journal', 'stats', 'job.db'], cwd);
  expect(stats).toMatchObject({ code: 0, stderr: '' });
  expect(stats.stdout).toMatch(/^2 tasks: 0 unfinished, 2 ended$/m);

  const all = await troupe(['journal', 'export', 'job.db'], cwd);
  const lines = all.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).task.goal)).toEqual(['Read a.md', 'Read b.md']);

  const one = await troupe(['journal', 'export', 'job.db', String(first?.['taskId'])], cwd);
  const exported = JSON.parse(one.stdout);
  expect(exported).toMatchObject({ status: 'completed', outcome: { text: first?.['text'] } });
  expect(exported.commits[0].body.entry).toMatchObject({ type: 'model_response', turn: 1 });

  const none = await troupe(['journal', 'export', 'job.db', 't999'], cwd);
  expect([none.code, none.stdout]).toEqual([1, 'there is no task t999\n']);

  const young = await troupe(['journal', 'prune', 'job.db'], cwd);
  const old = await troupe(['journal', 'prune', 'job.db', '--older-than', '1ms'], cwd);
  expect([young.stdout, old.stdout]).toEqual(['0 tasks forgotten\n', '2 tasks forgotten\n']);
});

test('says what is damaged, and with which exit code', async () => {
  const cwd = await jobIn();
  const whole = await troupe(['journal', 'check', 'job.db'], cwd);
  expect(whole).toEqual({ code: 0, stdout: 'nothing is damaged\n', stderr: '' });

  const database = await openDatabase(join(cwd, 'job.db'));
  database.exec(`UPDATE tasks SET outcome = '{}' WHERE id = 't1'`);
  database.close();
  const damaged = await troupe(['journal', 'check', 'job.db'], cwd);
  expect(damaged).toMatchObject({ code: 1, stdout: 'task t1: its outcome cannot be read\n' });
});

test('forgets an agent whose memory is damaged: its name is free', async () => {
  const cwd = folderWith();
  const journal = sqlite(join(cwd, 'job.db'));
  const quiet = { model: 'offline', journal, logger: false, logDirectory: false } as const;
  const agents = [{ name: 'clerk' }];
  const first = createSupervisor({ ...quiet, agents });
  const before = await first.spawn('clerk', { name: 'ann' });
  await before.ask('hi', { timeoutMs: 60_000 });
  await first.close();
  const database = await openDatabase(join(cwd, 'job.db'));
  database.exec('UPDATE memories SET sum = 0 WHERE seq = 1');
  database.close();
  const check = await troupe(['journal', 'check', 'job.db'], cwd);
  expect(check.stdout).toBe('agent ann: message 1 of its memory cannot be read\n');

  const none = await troupe(['journal', 'forget', 'job.db', 'bob'], cwd);
  const forgotten = await troupe(['journal', 'forget', 'job.db', 'ann'], cwd);
  const after = await troupe(['journal', 'check', 'job.db'], cwd);

  expect([none.code, none.stdout]).toEqual([1, 'there is no persistent agent bob\n']);
  expect([forgotten.code, forgotten.stdout]).toEqual([0, 'agent ann forgotten\n']);
  expect(after).toMatchObject({ code: 0, stdout: 'nothing is damaged\n' });
  const next = createSupervisor({ ...quiet, agents });
  const agent = await next.spawn('clerk', { name: 'ann' });
  expect(agent.history()).toEqual([]);
  await next.close();
});

test('reports a file whose pages are damaged without a stack', async () => {
  const cwd = await jobIn();
  const file = join(cwd, 'job.db');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 4_096, bytes.length));

  const { code, stdout, stderr } = await troupe(['journal', 'check', 'job.db'], cwd);

  expect([1, 2]).toContain(code);
  expect(stdout + stderr).toMatch(/malformed|cannot be read|damaged|invalid/i);
  expect(stderr).not.toMatch(/\n {4}at /);
});

test('refuses a file that is none, and makes none', async () => {
  const cwd = folderWith();
  const missing = await troupe(['journal', 'stats', 'none.db'], cwd);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'troupe: none.db cannot be used: it is no file\n',
  ]);
  expect(existsSync(join(cwd, 'none.db'))).toBe(false);

  writeFileSync(join(cwd, 'text.db'), 'this is a text, and no database at all');
  const text = await troupe(['journal', 'stats', 'text.db'], cwd);
  expect([text.code, text.stdout]).toEqual([2, '']);
  expect(text.stderr).toMatch(/^troupe: text\.db cannot be used: /);

  const wrong = await troupe(['journal', 'stats'], cwd);
  expect([wrong.code, wrong.stderr]).toEqual([2, "troupe: missing required argument 'file'\n"]);
});
