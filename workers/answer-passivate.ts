// Owns what an activation answers that is asked to give its slot up: what it keeps, or why it goes on (P1).
import type { Activation } from '../src/actor/activation.ts';
import { failure, toFailure } from '../src/base/failures.ts';
import type { ActivationItem } from '../src/protocol/worker-messages.ts';

type Answer = Extract<ActivationItem, { t: 'passivated' | 'stayed' }>;

export function answerPassivate(
  activation: Activation | null,
  facts: {
    /** Mail is there, or an answer is awaited. */
    readonly isWaiting: boolean;
    readonly keepsState: boolean;
    readonly findLeaks: () => readonly string[];
  },
): Answer {
  const { isWaiting, keepsState, findLeaks } = facts;
  if (activation === null || isWaiting || !activation.isIdle) return { t: 'stayed' };
  const leaks = findLeaks();
  if (!keepsState) return { t: 'passivated', kept: null, leaks };
  if (leaks.length > 0) {
    // An open timer or socket is part of the actor, and no plain state can contain it.
    const open = leaks.join(', ');
    return { t: 'stayed', failure: failure('snapshot_failed', `its thread has open: ${open}`) };
  }
  try {
    return { t: 'passivated', kept: activation.keep(), leaks };
  } catch (error) {
    return { t: 'stayed', failure: toFailure(error) };
  }
}
