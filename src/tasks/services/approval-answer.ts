// Owns what a person may answer to the question whether a tool may run, and what each answer means. Pure.
import { plainCopy } from '../../agent/plain-copy.ts';
import { describe } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';

/**
 * Whether the tool runs: `true` and `'approve'` let this call run, `false` and `'deny'` do not; the text of a denial is what
 * the model reads as its result. `allow` says for how long: for this call (`once`), for every call of the tool in this run
 * (`run`; of a session's own loop, in this session), or for every call of the tool by agents of this name as long as the
 * supervisor is there (`always`), whatever the arguments. A model that defines agents chooses their names. With `once` the
 * answer may have another `input`, which the tool's schema judges; the model is told that a person changed it. Any other
 * answer counts as a denial.
 */
export type ApprovalAnswer =
  | boolean
  | 'approve'
  | 'deny'
  | { readonly deny: string }
  | { readonly allow: 'once'; readonly input?: unknown }
  | { readonly allow: 'run' | 'always' };

/** An answer that was read. */
export type Decision =
  | { readonly type: 'allow'; readonly scope: 'once' | 'run' | 'always' }
  | { readonly type: 'edit'; readonly input: unknown }
  | { readonly type: 'deny'; readonly why: string };

/** What is no answer denies. Throws `not_serializable` for an input that is no plain data. */
export function readAnswer(answer: unknown): Decision {
  if (answer === true || answer === 'approve') return { type: 'allow', scope: 'once' };
  if (answer === false || answer === 'deny') return { type: 'deny', why: 'it was denied' };
  const noAnswer: Decision = { type: 'deny', why: `the answer was ${describe(answer)}` };
  if (!isRecord(answer)) return noAnswer;
  const { deny, allow, input, ...others } = answer;
  if (Object.keys(others).length > 0) return noAnswer;
  if (deny !== undefined) {
    const isDenial = typeof deny === 'string' && allow === undefined && input === undefined;
    return isDenial ? { type: 'deny', why: deny.trim() || 'it was denied' } : noAnswer;
  }
  if (allow === 'once') {
    if (input === undefined) return { type: 'allow', scope: 'once' };
    const copied = { what: 'its answer', field: 'input', code: 'not_serializable' } as const;
    return { type: 'edit', input: plainCopy(input, copied) };
  }
  if (allow !== 'run' && allow !== 'always') return noAnswer;
  if (input === undefined) return { type: 'allow', scope: allow };
  return { type: 'deny', why: `${noAnswer.why}: an input comes with allow: "once" alone` };
}
