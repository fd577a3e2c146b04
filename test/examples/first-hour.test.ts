// Checks the three programs that a new user writes in the first hour: short, and right as they stand.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { within } from '../supervisor/support.ts';
import { folderWith, startNode } from '../support/command.ts';

const folder = fileURLToPath(new URL('../../examples/first-hour/', import.meta.url));
const path = (name: string): string => `${folder}${name}.js`;

test.each(readdirSync(folder))('%s has at most 30 lines', (name) => {
  expect(readFileSync(`${folder}${name}`, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(
    30,
  );
});

test('the service streams what an agent does, interrupts one whose reader leaves, and ends when told', async () => {
  const model = await startStubModelServer([
    { type: 'message', text: 'It is a folder.' },
    { type: 'silence' },
  ]);
  const env = {
    PORT: '0',
    MODEL: 'anthropic:claude-x',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: model.url,
  };
  const service = startNode([path('service')], { cwd: folderWith(), env });
  await service.says(/listening on .*"port":\d+/);
  const url = `http://127.0.0.1:${/"port":(\d+)/.exec(service.text)?.[1]}/?goal=look`;
  const reader = new AbortController();

  const body = await (await fetch(url)).text();
  const refused = await fetch(url.replace('look', '%20'));
  const left = await fetch(url, { signal: reader.signal });
  await model.nextRequest();
  await model.nextRequest();
  const cut = model.nextCut();
  reader.abort();
  await within(cut, 'the interrupt');
  service.child.kill('SIGTERM');
  const { code, stderr } = await within(service.ended, 'the end of the service');
  await model.close();

  expect(body).toMatch(/event: text\ndata: .*It is a folder\.[\s\S]*event: outcome\n/);
  expect([left.status, refused.status, code, stderr]).toEqual([200, 400, 0, '']);
});

test('the batch does 200 documents under one budget, and none of them twice', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `${String(at).padStart(3, '0')}.md`);
  const cwd = folderWith(
    Object.fromEntries(names.map((name) => [`documents/${name}`, `# ${name}`])),
  );
  const run = () => within(startNode([path('batch')], { cwd }).ended, 'the batch', 60_000);

  const first = await run();
  const second = await run();

  expect([first.stderr, first.code, first.stdout]).toEqual(['', 0, '200 done, 0 were before\n']);
  expect([second.code, second.stdout]).toEqual([0, '0 done, 200 were before\n']);
  const lines = readFileSync(`${cwd}/results.jsonl`, 'utf8').trim().split('\n');
  const files = lines.map((line) => JSON.parse(line).file).sort();
  expect(files).toEqual(names.map((name) => `documents/${name}`));
});

test('the assistant asks before it calls a tool of an MCP server, or changes a file', async () => {
  const server = fileURLToPath(new URL('../fixtures/mcp/stdio-server.js', import.meta.url));
  const echo = { id: 'c1', name: 'mcp__own__echo', input: { text: 'hi' } };
  const write = { id: 'c2', name: 'write', input: { path: 'a.txt', content: 'hello' } };
  const model = await startStubModelServer([
    { type: 'message', toolCalls: [echo] },
    { type: 'message', toolCalls: [write] },
    { type: 'message', text: 'Half of it is done.' },
  ]);
  const cwd = folderWith();
  const assistant = startNode([path('assistant')], {
    cwd,
    hasInput: true,
    env: {
      MCP: `${process.execPath} ${server}`,
      MODEL: 'anthropic:claude-x',
      ANTHROPIC_API_KEY: 'dummy',
      ANTHROPIC_BASE_URL: model.url,
    },
  });
  const say = (line: string) => assistant.child.stdin?.write(`${line}\n`);

  await assistant.says(/> /);
  say('');
  say('Do both.');
  await assistant.says(/mcp__own__echo \{"text":"hi"\}\nrun it\?/);
  say('y');
  await assistant.says(/write \{"path":"a.txt","content":"hello"\}\nrun it\?/);
  say('n');
  await assistant.says(/Half of it is done\./);
  assistant.child.stdin?.end();
  const { code, stderr } = await within(assistant.ended, 'the end of the assistant');
  const results = JSON.stringify(model.requests().at(-1)?.body);
  await model.close();

  expect([code, stderr, readdirSync(cwd)]).toEqual([0, '', []]);
  expect(results).toContain('echo hi');
  expect(results).toContain('did not get it');
});
