// Checks the durable example service as its operator has it: killed while it works, started again, and nothing accepted is lost.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { within } from '../supervisor/support.ts';
import { folderWith, type Running, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/http-service/durable.js', import.meta.url));

async function listening(
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly [Running, string]> {
  const running = startNode([script], { cwd, env: { ...env, PORT: '0' } });
  await within(running.says(/listening on \S+\n/), 'the service');
  return [running, /listening on (\S+)/.exec(running.text)?.[1] ?? ''];
}

async function post(url: string, key: string): Promise<{ readonly taskId: string }> {
  const request = { method: 'POST', body: `Do ${key}.`, headers: { 'idempotency-key': key } };
  const response = await fetch(`${url}/tasks`, request);
  expect(response.status).toBe(202);
  return (await response.json()) as { readonly taskId: string };
}

async function resultOf(url: string, taskId: string): Promise<unknown> {
  for (;;) {
    const body = (await (await fetch(`${url}/tasks/${taskId}`)).json()) as { text?: string };
    if (body.text !== undefined) return body;
  }
}

test('loses no accepted task in a kill, and a client gets its result by asking again (J2, J4, F24)', async () => {
  const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
  const silent = await startStubModelServer(keys.map(() => ({ type: 'silence' }) as const));
  const model = await startStubModelServer(
    keys.map(() => ({ type: 'message', text: 'done' }) as const),
  );
  const cwd = folderWith();
  const envOf = ({ url }: { readonly url: string }) => ({
    MODEL: 'anthropic:claude-x',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: url,
  });

  try {
    const [first, firstUrl] = await listening(cwd, envOf(silent));
    const accepted = await within(
      Promise.all(keys.map((key) => post(firstUrl, key))),
      'the acceptances',
    );
    await within(silent.nextRequest(), 'a request of the model');
    first.child.kill('SIGKILL');
    await within(first.ended, 'the kill');

    const [second, url] = await listening(cwd, envOf(model));
    const again = await within(Promise.all(keys.map((key) => post(url, key))), 'the same again');
    const results = Promise.all(accepted.map(({ taskId }) => resultOf(url, taskId)));
    expect(again).toEqual(accepted);
    expect(new Set(accepted.map(({ taskId }) => taskId)).size).toBe(keys.length);
    expect(await within(results, 'the results')).toEqual(
      keys.map(() => ({ status: 'completed', text: 'done' })),
    );
    expect((await fetch(`${url}/tasks/t999999`)).status).toBe(404);
    second.child.kill('SIGTERM');
    expect(await within(second.ended, 'the end')).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await Promise.all([silent.close(), model.close()]);
  }
});
