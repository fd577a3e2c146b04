// Owns how far an answer may go on past the limit it was asked with: providers keep their own, others need not. Pure.
import { type Failure, failure } from '../../base/failures.ts';

/** No text has more characters for a token than this, but for runs of one character. */
const maxCharsPerToken = 32;
/** For answers of a few tokens. */
const slackChars = 8_192;
/** For a call without any limit. */
const maxChars = 16_777_216;

/** Why a call is ended. */
export type OutputLimit = {
  /** Tokens; null when neither the call nor its model has a limit. */
  readonly maxOutputTokens: number | null;
  /** The limit is what a budget left the call. */
  readonly isBudget: boolean;
};

/** The failure of an answer that has come to so many characters; null while it may go on. */
export function beyondLimit(
  chars: number,
  { maxOutputTokens, isBudget }: OutputLimit,
): Failure | null {
  const limit =
    maxOutputTokens === null ? maxChars : slackChars + maxOutputTokens * maxCharsPerToken;
  if (chars <= limit) return null;
  const asked = maxOutputTokens === null ? '' : `, asked for at most ${maxOutputTokens} tokens`;
  const message = `the model does not end its answer${asked}: ${chars} characters came, more than ${limit}`;
  return failure(isBudget ? 'budget_tokens' : 'model_bad_response', message, {
    detail: { what: 'the answer', limit, seen: chars },
  });
}
