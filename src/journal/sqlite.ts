// Owns how a program says where its journal is. Opens nothing.
import { resolve } from 'node:path';
import { z } from 'zod';
import { describe, TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { Retention } from './retention.ts';
import type { Durability } from './store.ts';

/** Where tasks are written down, made by `sqlite`. */
export type JournalSettings = {
  readonly kind: 'sqlite';
  /** The file, absolute. */
  readonly path: string;
  /** What its commits survive. */
  readonly durability: Durability;
  /** How long what has ended is kept. */
  readonly retention: Retention;
  /** When what an earlier process left unfinished goes on. */
  readonly recover: RecoveryMoment;
};

/** `at_start`: by itself. `when_asked`: once the program asks for it. */
export type RecoveryMoment = 'at_start' | 'when_asked';

/** How safe a journal is. */
export type JournalOptions = {
  /**
   * What commits survive: `machine`, a power cut as well; `process`, the end of the process, however it ends, for about twice
   * the speed of one task at a time. Default `machine`.
   */
  readonly durability?: Durability;
  /** How long what has ended is kept. */
  readonly retention?: {
    /** Milliseconds that the outcome of an ended task is kept, unless it is acknowledged before. Default 7 days. */
    readonly outcomesMs?: number;
    /** Bytes of the file. Above that what ended first is forgotten, also what nothing has asked for yet. Default: no limit. */
    readonly maxBytes?: number;
  };
  /**
   * When a task that an earlier process left unfinished goes on: `at_start`, by itself; `when_asked`, once it is given again
   * under its key, or asked for by `handle(id)` or with its persistent agent. Default `at_start`.
   */
  readonly recover?: RecoveryMoment;
};

const sevenDaysMs = 7 * 24 * 3_600_000;
/** Less than the tables of an empty file with some tasks take is a mistake. */
const minBytes = 1_000_000;

const optionsSchema = z.strictObject({
  durability: z.enum(['machine', 'process']).default('machine'),
  retention: z
    .strictObject({
      outcomesMs: z.number().min(0).default(sevenDaysMs),
      maxBytes: z.int().min(minBytes).default(Number.MAX_SAFE_INTEGER),
    })
    .prefault({}),
  recover: z.enum(['at_start', 'when_asked']).default('at_start'),
});

/**
 * A journal in a file, for `createSupervisor({ journal })`: a supervisor on the same file goes on with what another one had
 * accepted. Node 22.13 on has SQLite; Node 20 needs the package `libsql`. The folder has to be there, the file is made. Throws
 * `invalid_options`.
 */
export function sqlite(path: string, options: JournalOptions = {}): JournalSettings {
  if (typeof path !== 'string' || path.trim() === '') {
    const why = `sqlite: expected the path of a file, got ${describe(path)}`;
    throw new TroupeError('invalid_options', why, { detail: { field: 'path' } });
  }
  const { durability, retention, recover } = parseOptions(optionsSchema, options, 'sqlite');
  return { kind: 'sqlite', path: resolve(path), durability, retention, recover };
}
