// Owns how the end of an activation on a thread is read: from its own report, or from the failure of its thread.
import type { Exit, ExitReason } from '../actor/exit.ts';
import type { Failure } from '../base/failures.ts';
import type { ActivationItem } from '../protocol/worker-messages.ts';

export function isEnd(item: ActivationItem | undefined): boolean {
  return typeof item === 'object' && item.t === 'ended';
}

export function exitOf(cause: Failure): Exit {
  const reason: ExitReason = cause.code === 'out_of_memory' ? 'out_of_memory' : 'crashed';
  return { reason, failure: cause };
}
