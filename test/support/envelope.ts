// Envelopes for tests of what only moves them.
import type { Envelope } from '#src/actor/envelope.js';

/** An envelope to nobody in particular. */
export function envelope(given: Partial<Envelope> = {}): Envelope {
  return {
    id: 1,
    from: null,
    to: { id: 'a1', path: '/a1' },
    message: null,
    bytes: 8,
    askId: 0,
    deadline: Number.POSITIVE_INFINITY,
    isNotice: false,
    seq: 0,
    next: null,
    ...given,
  };
}
