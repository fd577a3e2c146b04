// Owns one life of a program that is killed and started again. Starts no test.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { within } from '../supervisor/support.ts';
import { startNode } from '../support/command.ts';
import { groupIsGone } from '../support/processes.ts';
import type { KilledJob } from './killed-jobs.ts';

/** When a life ends: after so many lines, or so many milliseconds. */
export type Kill = { readonly lines: number } | { readonly ms: number };

/** One that waits for the turn of a suspect (J7) is killed meanwhile. */
const lifeMs = 1_500;
/** The last turn of a suspect comes 30 s after the start. */
const lastLifeMs = 90_000;

/** What it has printed when it ends, by a kill or, without one, by itself. */
export async function lifeOf(
  folder: string,
  args: readonly string[],
  kill?: Kill,
): Promise<string> {
  const service = startNode([...args], { cwd: folder });
  if (kill !== undefined) {
    const printed =
      'lines' in kill ? service.says(new RegExp(`(.*\\n){${kill.lines}}`)) : wait(kill.ms);
    await Promise.race([printed, service.ended, wait(lifeMs, null, { ref: false })]);
    service.child.kill('SIGKILL');
  }
  const { stdout, stderr } = await within(service.ended, 'the end of a life', lastLifeMs);
  expect(stderr).toBe('');
  await leavesNoProcess(folder);
  return stdout;
}

/** No group of processes that it has started and written down is there any more. */
async function leavesNoProcess(folder: string): Promise<void> {
  const path = join(folder, 'groups.txt');
  if (!existsSync(path)) return;
  const groups = readFileSync(path, 'utf8').trim().split('\n');
  for (const group of new Set(groups)) await groupIsGone(Number(group));
  rmSync(path);
}

/** Lives of a job, each ended by its kill, then as many as it needs to be done; what must be true then is. */
export async function killed(job: KilledJob, folder: string, kills: Iterable<Kill>): Promise<void> {
  let isDone = false;
  for (const kill of kills) {
    if (isDone) break;
    isDone = job.take(await lifeOf(folder, job.args, kill));
  }
  for (let lives = 0; !isDone; lives += 1) {
    expect(lives, 'lives that ended by themselves before the job was done').toBeLessThan(3);
    isDone = job.take(await lifeOf(folder, job.args));
  }
  await job.verify();
}
