// Owns how a warning or an error is printed for a person: one line, and on request the stacks below it. Pure.
import type { Failure } from './failures.ts';
import { placeIn, stackIn } from './stack.ts';

export type LogFacts = {
  readonly message: string;
  readonly failure?: Failure | undefined;
  /** The agent it is about. */
  readonly path?: string | undefined;
};

const maxLine = 2_000;

/** What happened, why, and where in the program, without a line break. */
export function logLine({ message, failure, path }: LogFacts): string {
  const why = failure === undefined || message.includes(failure.message) ? '' : failure.message;
  const stack = failure === undefined ? null : stackIn(failure);
  const place = stack === null ? null : placeIn(stack);
  const whose = path === undefined || message.includes(path) ? '' : path;
  const joined = [whose, message, why].filter((part) => part !== '').join(': ');
  const text = joined.replaceAll(/\s+/g, ' ').slice(0, maxLine);
  return place === null || text.includes(place) ? text : `${text}, at ${place}`;
}

/** The same, with the stacks of the failure and its causes below it. */
export function logWithStack(facts: LogFacts): string {
  const stack = facts.failure === undefined ? null : stackIn(facts.failure);
  return stack === null ? logLine(facts) : `${logLine(facts)}\n${stack}`;
}
