// Owns long results of tools that delegate, for agents that cannot read them in a file: kept while the run lasts, read in parts.
import { describe, type Failure, failure } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { wholeCharacters } from './output.ts';

/** Characters of one run; beyond them the oldest texts go. */
const maxChars = 2_000_000;

const idShape = /^kept-\d+$/;

export class KeptTexts {
  readonly #texts = new Map<string, string>();
  #chars = 0;
  #last = 0;

  /** Keeps a text and answers where its model reads it: with the tool that made it. Null for one that is too long to keep. */
  keep(text: string, tool: string): string | null {
    if (text.length > maxChars) return null;
    this.#last += 1;
    const id = `kept-${this.#last}`;
    this.#texts.set(id, text);
    this.#chars += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#chars <= maxChars) break;
      this.#texts.delete(oldest);
      this.#chars -= length;
    }
    return `${id}, which ${tool} shows when it is called with result ${id} and an offset`;
  }

  /** The part that a call asks for, at most `maxChars`, or why there is none; null for a call that asks for no kept text. */
  part(input: unknown, maxChars: number): string | Failure | null {
    if (!isRecord(input)) return null;
    const { result: id, offset: given } = input;
    if (typeof id !== 'string' || !idShape.test(id)) return null;
    const text = this.#texts.get(id);
    if (text === undefined) {
      const ids = [...this.#texts.keys()].join(', ') || 'none';
      return failure('tool_arguments_invalid', `there is no result ${id}; there is: ${ids}`);
    }
    const from = Number(given ?? 0);
    if (!Number.isInteger(from) || from < 0 || from >= text.length) {
      const why = `offset is ${describe(given)}: expected a whole number from 0 to ${text.length - 1}`;
      return failure('tool_arguments_invalid', why);
    }
    const head = (end: number): string => {
      const next = end === text.length ? 'this is its end' : `read on with offset ${end}`;
      return `[${id}: characters ${from} to ${end} of ${text.length}; ${next}]\n`;
    };
    const available = maxChars - head(text.length - 1).length;
    const last = Math.min(text.length, from + available);
    const end = last === text.length ? last : wholeCharacters(text, last);
    return `${head(end)}${text.slice(from, end)}`;
  }
}
