// Owns what an activation's code hands over before it crosses to the host: addresses, delays, failures.
import { toSerializable } from '../src/actor/serializable.ts';
import { describe, type Failure, TroupeError } from '../src/base/failures.ts';

/** What is no address is thrown back at its sender, before the host takes it for a breach of the protocol. */
export function checkAddress(to: unknown): void {
  const isAddress =
    typeof to === 'object' &&
    to !== null &&
    'id' in to &&
    typeof to.id === 'string' &&
    'path' in to &&
    typeof to.path === 'string';
  if (!isAddress) {
    throw new TroupeError('invalid_options', `expected an actor's address, got ${describe(to)}`);
  }
}

export function checkDelay(delayMs: unknown, name: string): number {
  if (typeof delayMs === 'number' && delayMs >= 0 && Number.isFinite(delayMs)) return delayMs;
  const message = `${name} must be a finite number from 0, it is ${describe(delayMs)}`;
  throw new TroupeError('invalid_options', message);
}

/** What a thrown value carries beyond its message crosses only when it is plain. */
export function outboundFailure(cause: Failure): Failure {
  if (cause.detail === undefined) return cause;
  try {
    // The result is a record as before: only errors inside it are replaced.
    return { ...cause, detail: toSerializable(cause.detail).value as Record<string, unknown> };
  } catch {
    const { detail: _left, ...rest } = cause;
    return rest;
  }
}
