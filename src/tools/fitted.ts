// Owns answers that fit themselves to the size limit of a result: each chooses what it leaves out.
import { isRecord } from '../base/is-record.ts';
import type { ImageBlock, TextBlock } from '../protocol/history.ts';
import type { KeepText } from './output.ts';

const kind = 'fitted_answer';

/** What a tool answers whose text can be written longer or shorter. */
export type FittedAnswer = {
  readonly kind: typeof kind;
  /**
   * The text, with images after it or without, at most so many characters; `keep` keeps what it leaves out, where its reader can get at it, and the call has
   * taken `elapsedMs`.
   */
  readonly write: (
    maxChars: number,
    keep: KeepText,
    elapsedMs: number,
  ) => string | readonly (TextBlock | ImageBlock)[];
};

export function fitted(write: FittedAnswer['write']): FittedAnswer {
  return { kind, write };
}

export function isFitted(output: unknown): output is FittedAnswer {
  return isRecord(output) && output['kind'] === kind && typeof output['write'] === 'function';
}
