// Checks the chat service as its users and its operator have it: a process with real HTTP, sessions that share nothing, an end in good order.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, type Running, startNode } from '../support/command.ts';
import { within } from '../support/systems.ts';

const script = fileURLToPath(new URL('../../examples/chat-service/main.js', import.meta.url));

type Answer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
};

type Tree = {
  readonly statuses: Readonly<Record<string, string>>;
  readonly board: readonly { readonly content: string }[];
  readonly runs: readonly { readonly children: readonly { readonly goal: string }[] }[];
};

async function service({
  cwd = folderWith(),
  flags = [],
  env = {},
}: {
  readonly cwd?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
} = {}) {
  const running = startNode([script, ...flags], { cwd, env: { ...env, PORT: '0' } });
  await running.says(/listening on \S+\n/);
  const url = /listening on (\S+)/.exec(running.text)?.[1] ?? '';
  const call = async (method: string, path: string, body?: string): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return {
    url,
    running,
    call,
    say: async (id: string, content: string) =>
      (await call('POST', `/chat/${id}`, content)).body['text'],
    tree: async (id: string) => (await call('GET', `/chat/${id}/tree`)).body as unknown as Tree,
  };
}

async function terminated(running: Running): Promise<number | null> {
  running.child.kill('SIGTERM');
  return (await running.ended).code;
}

test('two sessions at once remember what was said to them, each on its own board (A19, A56, A65)', async () => {
  const { say, tree, running } = await service();
  const talk = async (id: string, facts: readonly string[]) => {
    const answers: unknown[] = [];
    for (const fact of [...facts, 'What do you know?']) answers.push(await say(id, fact));
    return answers;
  };

  const [anna, bob] = await Promise.all([
    talk('anna', ['The key is under the mat.', 'The dog bites.']),
    talk('bob', ['The safe is empty.']),
  ]);

  expect(anna).toEqual([
    'Noted, 1 so far.',
    'Noted, 2 so far.',
    'I know this: The key is under the mat. The dog bites.',
  ]);
  expect(bob).toEqual(['Noted, 1 so far.', 'I know this: The safe is empty.']);
  const ofBob = await tree('bob');
  expect(ofBob.statuses).toEqual({ archivist: 'COMPLETED', writer: 'COMPLETED' });
  expect(ofBob.board.map(({ content }) => content)).toEqual(['The safe is empty.']);
  expect(ofBob.runs[0]?.children.map(({ goal }) => goal)).toEqual([
    'The safe is empty.',
    'What do you know?',
  ]);
  expect(JSON.stringify(ofBob)).not.toContain('mat');
  expect(await terminated(running)).toBe(0);
});

test('a reset forgets one session whole, and no other (A74)', async () => {
  const { say, tree, call, running } = await service();
  await say('anna', 'The key is under the mat.');
  await say('bob', 'The safe is empty.');

  const resets = [await call('DELETE', '/chat/anna'), await call('DELETE', '/chat/anna')];
  const gone = await call('GET', '/chat/anna/tree');
  const asked = await say('anna', 'What do you know?');
  const counted = await say('anna', 'The cat is out.');

  expect(resets.map(({ status }) => status)).toEqual([200, 404]);
  expect(gone).toEqual({ status: 404, body: { error: 'no such chat' } });
  expect([asked, counted]).toEqual(['I know nothing yet.', 'Noted, 1 so far.']);
  expect(JSON.stringify(await tree('anna'))).not.toContain('mat');
  expect(await say('bob', 'What do you know?')).toBe('I know this: The safe is empty.');
  expect(await terminated(running)).toBe(0);
});

test('three threads hold eight chats, a blank message is refused, and routes are known (P1, P2)', async () => {
  const { say, call, running } = await service({ flags: ['--agents', '3'] });
  const ids = Array.from({ length: 8 }, (_, at) => `chat-${at}`);

  const answers = await Promise.all(ids.map((id) => say(id, `I am ${id}.`)));
  const known = await Promise.all(ids.map((id) => say(id, 'Who am I?')));

  expect(answers).toEqual(ids.map(() => 'Noted, 1 so far.'));
  expect(known).toEqual(ids.map((id) => `I know this: I am ${id}.`));
  expect(await call('POST', '/chat/chat-0', ' ')).toMatchObject({
    status: 400,
    body: { error: 'invalid_task' },
  });
  expect(await call('GET', '/chat/nobody/tree')).toMatchObject({ status: 404 });
  expect(await call('POST', '/chat/two/words', 'x')).toMatchObject({
    status: 404,
    body: { error: 'no such route' },
  });
  expect(await terminated(running)).toBe(0);
});

test('a reset ends what runs: who asked is told so (A74, S5)', async () => {
  const model = await startStubModelServer([{ type: 'silence', text: 'Hm' }]);
  const { call, running } = await service({
    flags: ['--model', 'anthropic:claude-x'],
    env: { ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: model.url },
  });

  try {
    const asked = call('POST', '/chat/anna', 'Where is the key?');
    await model.nextRequest();
    const reset = await call('DELETE', '/chat/anna');

    expect(reset.status).toBe(200);
    expect(await asked).toMatchObject({ status: 200, body: { status: 'interrupted' } });
    expect(await terminated(running)).toBe(0);
  } finally {
    await model.close();
  }
});

test('SIGTERM refuses new requests, answers those that have begun, and leaves nothing', async () => {
  const cwd = folderWith();
  const { url, running } = await service({ cwd });
  const headers = { expect: '100-continue' };
  const asking = request(`${url}/chat/anna`, { method: 'POST', headers });
  const reply = once(asking, 'response');
  asking.flushHeaders();
  await once(asking, 'continue');

  running.child.kill('SIGTERM');
  await within(refusal(url), 'the refusal of a new connection');
  asking.end('The key is under the mat.');
  const [response] = await reply;
  const body = await text(response);

  expect(JSON.parse(body)).toEqual({ status: 'completed', text: 'Noted, 1 so far.' });
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(cwd), 'nothing is left behind').toEqual([]);
});

/** Resolves once a new connection is refused; by the end of the process at last. */
async function refusal(url: string): Promise<void> {
  while (await isTaken(url)) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a new connection is taken. */
async function isTaken(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/chat/anna/tree`, { headers: { connection: 'close' } });
    return true;
  } catch {
    return false;
  }
}
