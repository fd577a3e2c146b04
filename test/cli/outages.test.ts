// Checks a job of the built command whose provider is overloaded: its tasks wait together, or fail where no wait is set.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
  const overloaded = { type: 'error', status: 529, message: 'Overloaded' } as const;
  server.reply(...Array.from({ length: 100 }, () => overloaded));
});

afterEach(() => server.close());

function start(...more: readonly string[]) {
  const tasks = ['one', 'two', 'three'].map((goal) => JSON.stringify({ goal }));
  const cwd = folderWith({ 'tasks.jsonl': `${tasks.join('\n')}\n` });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  const args = ['run', 'tasks.jsonl', '--model', 'anthropic:claude-x', ...more];
  return { cwd, running: startTroupe(args, { cwd, env }) };
}

test('says once that it waits for the provider, and Ctrl-C ends the wait at once', async () => {
  const { cwd, running } = start();

  await running.says(' is down: ');
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;

  expect(code).toBe(130);
  expect(stderr).toMatch(/^troupe: anthropic at .* is down: 529 Overloaded, next try in \d s$/m);
  expect(stderr.match(/next try in/g)).toHaveLength(1);
  expect(recordsIn(cwd).map(({ status }) => status)).toEqual(Array(3).fill('interrupted'));
});

test('fails its tasks after their tries when it is not to wait', async () => {
  const { cwd, running } = start('--provider-wait', '0');

  const { code, stderr } = await running.ended;

  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(recordsIn(cwd)).toMatchObject(
    Array(3).fill({ status: 'failed', error: { code: 'model_overloaded', retryable: true } }),
  );
});

test('runs a task again that failed, and says so in its record', async () => {
  await server.close();
  server = await startStubModelServer();
  const error = { type: 'error', status: 529, message: 'Overloaded' } as const;
  server.reply(error, error, error, { type: 'message', text: 'done' });
  const cwd = folderWith({ 'tasks.jsonl': '{"goal":"one"}\n' });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  const how = ['--model', 'anthropic:claude-x', '--provider-wait', '0', '--retries', '1'];

  const { code, stdout } = await startTroupe(['run', 'tasks.jsonl', ...how], { cwd, env }).ended;

  expect(code).toBe(0);
  expect(stdout).toContain('retry  one');
  expect(recordsIn(cwd)).toMatchObject([{ status: 'completed', text: 'done', attempts: 2 }]);
});

test('of a list of models the second answers while the first is down, and the job says so once', async () => {
  const { cwd, running } = start('--model', 'anthropic:claude-x, offline');

  const { code, stdout, stderr } = await running.ended;

  expect(code).toBe(0);
  expect(stdout).toContain('model offline: where it answers no model is called');
  expect(stderr).toContain('anthropic:claude-x failed, offline is asked instead: 529 Overloaded');
  expect(stderr.match(/is asked instead/g)).toHaveLength(1);
  expect(recordsIn(cwd)).toMatchObject(Array(3).fill({ status: 'completed', model: 'offline' }));
});

test('a list of models with a wrong one is refused before it costs', async () => {
  const { running } = start('--model', 'offline,openai');

  const { code, stderr } = await running.ended;

  expect(code).toBe(2);
  expect(stderr).toContain('model.1: no such model: "openai"');
  expect(server.requests()).toEqual([]);
});
