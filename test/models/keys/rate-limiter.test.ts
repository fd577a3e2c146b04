// Checks what a key's gate lets out: never more than the provider has left, in whatever order it counts calls that were out together.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canPass,
  leave,
  newLimiter,
  noticed,
  pass,
  type RateLimiter,
  reported,
} from '#src/models/keys/rate-limiter.js';

const limit = 12;
const resetMs = 400;

/** A provider's window, and the calls on their way to it and back; `pick` chooses what happens next. */
function playWindow(pick: (choices: number) => number): { readonly counted: number } {
  let gate: RateLimiter = newLimiter(8);
  let counted = 0;
  const going: number[] = [];
  const coming: { readonly call: number; readonly left: number }[] = [];
  for (let step = 0; step < 400; step += 1) {
    const moves: (() => void)[] = [];
    if (canPass(gate, 0)) {
      moves.push(() => {
        gate = pass(gate, 0);
        going.push(gate.sent);
      });
    }
    if (going.length > 0) {
      moves.push(() => {
        const [call = 0] = going.splice(pick(going.length), 1);
        counted += 1;
        coming.push({ call, left: Math.max(0, limit - counted) });
      });
    }
    if (coming.length > 0) {
      moves.push(() => {
        const [answer = { call: 0, left: 0 }] = coming.splice(pick(coming.length), 1);
        const view = {
          requestsLeft: answer.left,
          requestsResetMs: resetMs,
          tokensLeft: null,
          tokensResetMs: null,
        };
        gate = leave(reported(noticed(gate), view, answer.call));
      });
    }
    const move = moves[pick(moves.length)];
    if (move === undefined) break;
    move();
  }
  return { counted };
}

describe('a gate', () => {
  it('lets out no more calls than are left, however the provider orders those that are out together (C41)', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat({ max: 1_000_000 })), (stream) => {
        const next = stream[Symbol.iterator]();
        const pick = (choices: number) => (choices === 0 ? 0 : (next.next().value ?? 0) % choices);
        expect(playWindow(pick).counted).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 2_000 },
    );
  });
});
