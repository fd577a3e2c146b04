// Owns the check of what a tool reports of itself, so that a wrong report fails the call and not the agent.
import { describe, TroupeError } from '../base/failures.ts';
import { maxPathChars } from '../protocol/run-events.ts';

/** Throws `invalid_options` unless it is a number from 0 to 1, and a note of text or none. */
export function checkProgress(fraction: unknown, note: unknown): void {
  if (!(typeof fraction === 'number' && fraction >= 0 && fraction <= 1)) {
    throw new TroupeError(
      'invalid_options',
      `progress must be a number from 0 to 1, got ${describe(fraction)}`,
    );
  }
  if (note === undefined || typeof note === 'string') return;
  throw new TroupeError(
    'invalid_options',
    `a note of progress must be text, got ${describe(note)}`,
  );
}

/** Throws `invalid_options` unless it is a path. */
export function checkRecordedFile(path: unknown): void {
  if (typeof path === 'string' && path !== '' && path.length <= maxPathChars) return;
  const wanted = `a path of at most ${maxPathChars} characters`;
  throw new TroupeError(
    'invalid_options',
    `a touched file must be ${wanted}, got ${describe(path)}`,
  );
}
