// Owns a tool's own report that a call did not succeed: an error result with exactly this text, without a throw.
import type { FailureCode } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';

const kind = 'tool_refusal';

/** What a tool answers to be an error result whose text nothing is put in front of. */
export type ToolRefusal = {
  readonly kind: typeof kind;
  readonly code: FailureCode;
  readonly text: string;
};

/** `text` is what the model reads, as it is; `code` goes to events. */
export function refusal(code: FailureCode, text: string): ToolRefusal {
  return { kind, code, text };
}

export function isRefusal(output: unknown): output is ToolRefusal {
  return isRecord(output) && output['kind'] === kind && typeof output['text'] === 'string';
}
