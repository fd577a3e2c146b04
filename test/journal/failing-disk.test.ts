// Checks a service under load on a disk that fails: calls of the system that SQLite makes are refused, and the power is cut.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { JournalStore } from '#src/journal/store.js';
import { within } from '../supervisor/support.ts';
import { type Running, startNode } from '../support/command.ts';
import { verifyJobs } from './ended-jobs.ts';
import { canFail, type DiskFailure, FailingDisk } from './failing-disk.ts';
import { unfinishedIn } from './records.ts';

const program = fileURLToPath(
  new URL('../fixtures/programs/failing-disk-service.js', import.meta.url),
);
const writerProgram = fileURLToPath(
  new URL('../fixtures/programs/failing-disk-writer.js', import.meta.url),
);
const tasks = 120;

function startOn({ folder, env }: FailingDisk): Running {
  return startNode([program, folder, String(tasks)], { cwd: folder, env });
}

/** Not before so many tasks have ended. */
function ends(service: Running, count: number): Promise<void> {
  return within(
    service.says(new RegExp(`(?:(?:(?!ended ).*\\n)*ended .*\\n){${count}}`)),
    `${count} ends`,
  );
}

const linesOf = (stdout: string, what: string): readonly string[] =>
  stdout.split('\n').filter((line) => line.startsWith(`${what} `));

/** The disk fails under load, and works again. */
async function throughFailure(disk: FailingDisk, how: DiskFailure): Promise<Running> {
  const service = startOn(disk);
  await ends(service, 10);
  disk.fail(how);
  await within(service.says('failed\n'), 'the failure of the journal');
  disk.work();
  return service;
}

async function afterCut(disk: FailingDisk, service: Running): Promise<void> {
  service.child.kill('SIGKILL');
  const { stdout } = await within(service.ended, 'the kill');
  disk.cutPower();

  const next = startOn(disk);
  const again = await within(next.ended, 'the end of the service', 60_000);

  expect(again.stderr).toBe('');
  // Under the ids that were promised, with the outcomes that were printed.
  const promised = [...linesOf(stdout, 'accepted'), ...linesOf(stdout, 'ended')];
  expect(again.stdout.split('\n')).toEqual(expect.arrayContaining(promised));
  await verifyJobs(disk.folder, again.stdout, tasks);
}

describe.runIf(canFail)('a journal on a disk that fails', { timeout: 120_000 }, () => {
  it.each<DiskFailure>(['fsync EIO', 'write EIO', 'write ENOSPC', 'write half', 'lock EAGAIN'])(
    'loses nothing by %s, and goes on once the disk works (J1, J3)',
    async (how) => {
      const disk = new FailingDisk();
      const service = await throughFailure(disk, how);

      const { stdout, stderr } = await within(service.ended, 'the end of the service', 60_000);

      expect(stderr).toBe('');
      expect(stdout).toMatch(/failed\n(.*\n)*writes again\n/);
      await verifyJobs(disk.folder, stdout, tasks);
    },
  );

  it('has what it has acknowledged after a power cut (J1, J2)', async () => {
    const disk = new FailingDisk();
    const service = startOn(disk);
    await ends(service, 60);
    await afterCut(disk, service);
  });

  it.each<DiskFailure>(['fsync EIO', 'write half'])(
    'has it also after a power cut that comes after %s (J1, J3)',
    async (how) => {
      const disk = new FailingDisk();
      const service = await throughFailure(disk, how);
      await within(service.says(/writes again\n(.*\n)*ended .*\n/), 'an end after the failure');
      await afterCut(disk, service);
    },
  );

  it.each<DiskFailure>(['fsync EIO', 'write half', 'write EIO'])(
    'has what is written again after %s when the power is cut right then (J1, J3)',
    async (how) => {
      const disk = new FailingDisk();
      const { folder: cwd, env } = disk;
      const writer = startNode([writerProgram, cwd, how], { cwd, env });
      await within(writer.says('waits\n'), 'the acknowledgements');
      writer.child.kill('SIGKILL');
      const { stdout, stderr } = await within(writer.ended, 'the kill');
      disk.cutPower();

      const store = await JournalStore.open(join(cwd, 'troupe.db'));
      const kept = unfinishedIn(store).map((each) => (each.isDamaged ? each : each.value.taskId));
      const problems = [...store.problems()];
      store.close();
      expect(stderr).toBe('');
      expect(stdout).toBe('t1\njournal_failed\nt2\nwaits\n');
      expect({ kept, problems }).toEqual({ kept: ['t1', 't2'], problems: [] });
    },
  );
});

it.runIf(!canFail)('is not tried here: no compiler, or not Linux', () => {
  expect(canFail).toBe(false);
});
