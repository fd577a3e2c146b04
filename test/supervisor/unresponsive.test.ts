// Checks the end of a supervisor one of whose threads cannot be ended: bounded, and said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { census } from '../leaks.ts';
import { superviseUnacknowledged, toolFixture, turns, within } from './support.ts';

async function until(isSo: () => boolean, what: string): Promise<void> {
  const waiting = (async () => {
    while (!isSo()) await turns(1);
  })();
  await within(waiting, what);
}

it('close gives a thread in a native call up, and says which kind of end that was (V6, S7)', async () => {
  const pidFile = join(temporaryFolder(), 'pid');
  const { supervisor, watch, clock } = superviseUnacknowledged(
    { default: [{ toolCalls: [{ name: 'hang', input: { pidFile } }] }] },
    { tools: [toolFixture('native')] },
  );
  const pid = (): number => {
    try {
      return Number(readFileSync(pidFile, 'utf8'));
    } catch {
      return 0;
    }
  };
  const handle = supervisor.start({ goal: 'a' });
  await until(() => pid() > 0, 'the native call');
  let isFree = false;
  const free = (): void => {
    if (!isFree) process.kill(pid(), 'SIGKILL');
    isFree = true;
  };
  onTestFinished(free);

  const closing = supervisor.close();
  for (let second = 0; second < 30; second += 1) await clock.advance(1_000);
  await within(closing, 'close');

  expect((await handle.result()).status).toBe('interrupted');
  expect(watch.of('agent_unresponsive')).toHaveLength(1);
  expect(watch.of('log')).toMatchObject([{ level: 'error', failure: { code: 'unresponsive' } }]);
  free();
  await until(() => (census().get('thread') ?? 0) === 0, 'the end of the thread');
});
