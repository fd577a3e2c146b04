// Owns the options of recording and replaying and their check. Opens no file.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseOptions } from '../base/parse-options.ts';
import type { ScriptStep } from '../models/script.ts';
import type { Mask } from './cassette-request.ts';

type CassetteOptions = {
  /** Where the cassette is; a path is relative to the working directory. */
  readonly file: string | URL;
  /**
   * Rewrites every text of a request before it is kept and compared: what differs from run to run or is not for a
   * repository, such as `(text) => text.replaceAll(folder, '<data>')`. Replay with the mask that was recorded with.
   */
  readonly mask?: Mask;
};

/** What `recorded` takes beside the model. */
export type RecordOptions = CassetteOptions & {
  /** Replaces a cassette that is there. Default false: it is refused. */
  readonly overwrite?: boolean;
};

/** One recorded exchange, by who asked, and what is answered instead. */
export type ChangedReply = {
  /** The name of the agent's definition. */
  readonly agent: string;
  /** The turn that asked, from 1. */
  readonly turn: number;
  /** As the cassette has it; needed where several agents of the name asked in that turn. */
  readonly path?: string;
  /** What is answered instead. */
  readonly reply: ScriptStep;
};

/** What `replayed` takes. */
export type ReplayOptions = CassetteOptions & {
  /**
   * What if the model had replied differently: these exchanges get other replies. Once one was changed, a request that
   * differs from what was recorded gets the reply recorded at its place (agent, path, turn) instead of a mismatch.
   */
  readonly changes?: readonly ChangedReply[];
};

const file = z.union(
  [z.string().min(1), z.instanceof(URL)],
  'expected a path, or the URL of a file',
);
const mask = z.custom<Mask>((value) => typeof value === 'function', 'expected a function');

const recordSchema = z.strictObject({
  file,
  mask: mask.optional(),
  overwrite: z.boolean().optional(),
});

const replaySchema = z.strictObject({
  file,
  mask: mask.optional(),
  changes: z
    .array(
      z.strictObject({
        agent: z.string().min(1),
        turn: z.number().int().positive(),
        path: z.string().optional(),
        reply: z.custom<ScriptStep>((value) => typeof value === 'object', 'expected a step'),
      }),
    )
    .optional(),
});

export function checkRecordOptions(value: unknown) {
  const { file, mask, overwrite = false } = parseOptions(recordSchema, value, 'recorded');
  return { file: pathOf(file), mask, overwrite };
}

export function checkReplayOptions(value: unknown) {
  const { file, mask, changes = [] } = parseOptions(replaySchema, value, 'replayed');
  // An optional path that is absent is absent, not undefined: the options are plain data.
  return { file: pathOf(file), mask, changes: changes as readonly ChangedReply[] };
}

function pathOf(file: string | URL): string {
  return typeof file === 'string' ? file : fileURLToPath(file);
}
