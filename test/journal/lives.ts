// Owns one life of a program that is killed and started again. Starts no test.
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { within } from '../supervisor/support.ts';
import { startNode } from '../support/command.ts';

/** One that waits for the turn of a suspect (J7) is killed meanwhile. */
const lifeMs = 1_500;

/** What it has printed when it ends, by itself or by a kill after so many lines; undefined: it is not killed. */
export async function lifeOf(
  folder: string,
  args: readonly string[],
  killAfter?: number,
): Promise<string> {
  const service = startNode([...args], { cwd: folder });
  if (killAfter !== undefined) {
    const printed = service.says(new RegExp(`(.*\\n){${killAfter}}`));
    await Promise.race([printed, service.ended, wait(lifeMs, null, { ref: false })]);
    service.child.kill('SIGKILL');
  }
  const { stdout, stderr } = await within(service.ended, 'the end of a life');
  expect(stderr).toBe('');
  return stdout;
}
