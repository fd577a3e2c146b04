// Owns who may open a journal: one process, as long as it lives.
import { reasonOf, TroupeError } from '../base/failures.ts';
import { openDatabase } from './driver.ts';

/** A lock that is held until `release`, or until the process dies, however it dies. */
export type OwnerLock = { release(): void };

/**
 * Takes the lock of a journal: an open exclusive transaction on a file beside it, which the system ends with the process. Rejects
 * `journal_locked` while another one holds it, and what the system says of its file.
 */
export async function takeOwnerLock(path: string): Promise<OwnerLock> {
  const database = await openDatabase(`${path}.lock`);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    database.close();
    if (!/locked|busy/i.test(reasonOf(thrown))) throw thrown;
    const why = 'another process, or another supervisor, has it open';
    throw new TroupeError('journal_locked', why, { cause: thrown });
  }
  return {
    release: () => {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
