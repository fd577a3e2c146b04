// Checks a service under load on a disk that is full for a while: the system refuses its writes, as it does to a file that may not
// grow. Linux only, like the machine of the tests.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { within } from '../supervisor/support.ts';
import { folderWith, type Running, start, startNode } from '../support/command.ts';
import { verifyJobs } from './ended-jobs.ts';

const program = fileURLToPath(
  new URL('../fixtures/programs/failing-disk-service.js', import.meta.url),
);
const tasks = 120;
/** Of each file: the tasks take several times as much. */
const room = 300_000;

/** The signal that comes with a refused write is ignored, as no disk sends one. */
function startOnSmallDisk(folder: string): Running {
  const limited = `trap '' XFSZ; exec prlimit --fsize=${room}:unlimited "$@"`;
  const command = [process.execPath, program, folder, String(tasks)];
  return start('/bin/sh', ['-c', limited, 'sh', ...command], { cwd: folder });
}

const makeRoom = ({ child }: Running): void => {
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited']);
};

const goalsOf = (text: string, what: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .flatMap((line) => (line.startsWith(`${what} `) ? [line.split(' ')[1] ?? ''] : [])),
  );

it('stops accepting while the disk is full, and goes on where it was once it is not (J1, J3)', {
  timeout: 120_000,
}, async () => {
  const folder = folderWith();
  const service = startOnSmallDisk(folder);
  await within(service.says('failed'), 'the full disk');
  const before = goalsOf(service.text, 'ended').size;
  expect(before).toBeLessThan(tasks);

  makeRoom(service);

  const { stdout, stderr } = await within(service.ended, 'the end of the service', 60_000);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/failed\n(.*\n)*writes again\n/);
  await verifyJobs(folder, stdout, tasks);
});

it('has what was accepted when it is killed while the disk is full (J1, J2)', {
  timeout: 120_000,
}, async () => {
  const folder = folderWith();
  const service = startOnSmallDisk(folder);
  await within(service.says('failed'), 'the full disk');
  service.child.kill('SIGKILL');
  const { stdout } = await within(service.ended, 'the kill');
  const accepted = stdout.split('\n').filter((line) => line.startsWith('accepted '));

  const next = startNode([program, folder, String(tasks)], { cwd: folder });
  const again = await within(next.ended, 'the end of the service', 60_000);

  expect(again.stderr).toBe('');
  expect(again.stdout.split('\n')).toEqual(expect.arrayContaining(accepted));
  await verifyJobs(folder, again.stdout, tasks);
});
