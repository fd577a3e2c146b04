// Kills jobs on a journal at random moments, for KILL_MINUTES (30), from STORM_SEED or a seed that is printed. Each job has a number
// and is the same in every storm of its seed: KILL_JOB goes on with one.
import fc from 'fast-check';
import { it } from 'vitest';
import { agentsJob, type KilledJob, serviceJob, sessionsJob } from '../journal/killed-jobs.ts';
import { type Kill, killed } from '../journal/lives.ts';
import { folderWith } from '../support/command.ts';

const minutes = Number(process.env['KILL_MINUTES'] ?? 30);
const seed = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000_007);
const first = Number(process.env['KILL_JOB'] ?? 1);

const jobs: Readonly<Record<string, (folder: string, size: number) => KilledJob>> = {
  service: serviceJob,
  agents: agentsJob,
  sessions: sessionsJob,
};

/** In the middle of anything: of the start of the process and its recovery as well. */
const kill: fc.Arbitrary<Kill> = fc.oneof(
  fc.record({ lines: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ ms: fc.integer({ min: 50, max: 1_200 }) }),
);

const plan = fc.record({
  kind: fc.constantFrom(...Object.keys(jobs)),
  size: fc.integer({ min: 3, max: 24 }),
  kills: fc.array(kill, { minLength: 1, maxLength: 12 }),
});

it(`lose nothing over ${minutes} minutes of kills from seed ${seed} (J1, J2, J4, J5, J8)`, async () => {
  const end = performance.now() + minutes * 60_000;
  let lives = 0;
  for (let number = first; performance.now() < end; number += 1) {
    const [{ kind, size, kills }] = fc.sample(plan, { numRuns: 1, seed: seed + number }) as [
      { kind: string; size: number; kills: Kill[] },
    ];
    process.stdout.write(
      `STORM_SEED=${seed} KILL_JOB=${number}: ${kind} of ${size}, ${kills.length} kills\n`,
    );
    const folder = folderWith();
    const job = jobs[kind]?.(folder, size);
    if (job === undefined) throw new Error(`there is no job ${kind}`);
    await killed(job, folder, kills);
    lives += kills.length;
  }
  process.stdout.write(`${lives} kills\n`);
});
