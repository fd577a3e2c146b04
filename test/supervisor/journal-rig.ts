// Shared arrangements of tests with a journal: supervisors on one file, one after the other. Starts no test.
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  createSupervisor,
  type RecoveredTask,
  type Supervisor,
  type SupervisorOptions,
  sqlite,
} from '#src/index.js';
import { scripted } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { afterEveryTest } from '../support/after-every-test.ts';
import { gatedModel } from './gated-model.ts';
import { within } from './support.ts';

export const file = (): string => join(temporaryFolder(), 'troupe.db');

const answers = () => scripted({ default: [{ text: 'done' }] });

/** Supervisors that are closed after the test. */
export const made = new Set<Supervisor>();
afterEveryTest(async () => {
  for (const supervisor of made) await supervisor.close();
  made.clear();
});

/** A supervisor on the file; it is closed after the test. */
export const on = (path: string, options: Partial<SupervisorOptions> = {}): Supervisor => {
  const quiet = { logger: false, logDirectory: false } as const;
  const supervisor = createSupervisor({
    model: answers(),
    journal: sqlite(path),
    ...quiet,
    ...options,
  });
  made.add(supervisor);
  return supervisor;
};

export const recoveredBy = async (supervisor: Supervisor): Promise<readonly RecoveredTask[]> => {
  const recovered: RecoveredTask[] = [];
  for await (const each of supervisor.recovered()) recovered.push(each);
  return recovered;
};

/** A task that waits for its model while its supervisor closes. */
export async function leftBehind(
  path: string,
  task: Parameters<Supervisor['start']>[0],
): Promise<string> {
  const gated = gatedModel();
  const supervisor = on(path, { model: gated });
  const handle = supervisor.start(task);
  await within(handle.accepted(), 'the acceptance');
  await gated.isAsked(1);
  await within(supervisor.close(), 'the close');
  expect(await handle.result()).toMatchObject({ status: 'interrupted' });
  return handle.id;
}
