// Owns what a model reads of a task that it delegated: the answer, or why there is none and what the run had. Pure.
import { type Failure, failure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { ImageBlock, TextBlock } from '../protocol/history.ts';

/** An outcome in the words that every delegating tool uses for it. */
export type OutcomeDescription = {
  /** The text of a completed run, or of one that used up its turns, which says so; null when there is no answer. */
  readonly answer: string | null;
  /** Why the run ended; means nothing for a completed one. */
  readonly reason: Failure;
  /** Follows the reason on lines of its own: what the run had written. Empty when it had written nothing. */
  readonly soFar: string;
};

/** Total: an outcome without an error has one that names its exit reason. */
export function describeOutcome({
  exitReason,
  text,
  error,
}: Pick<Outcome, 'exitReason' | 'text' | 'error'>): OutcomeDescription {
  const reason = error ?? failure('crashed', `the run ended: ${exitReason}`);
  const soFar = text === '' ? '' : `\nWhat it had so far:\n${text}`;
  if (exitReason === 'goal') return { answer: text || '(no text)', reason, soFar };
  const isOutOfTurns = exitReason === 'max_turns' && text.trim() !== '';
  const answer = isOutOfTurns ? `${text}\n\n[It may be incomplete: ${reason.message}]` : null;
  return { answer, reason, soFar };
}

/** What a tool returns for an answer: its text, and the images of the outcomes that it is made of. */
export function withImages(
  text: string,
  ...outcomes: readonly Pick<Outcome, 'images'>[]
): string | readonly (TextBlock | ImageBlock)[] {
  const images = outcomes.flatMap((outcome) => outcome.images ?? []);
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}
