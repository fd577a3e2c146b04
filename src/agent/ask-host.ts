// Owns a call of the host's services that is given up there when its signal aborts here.

import { whenAborted } from '../base/when-aborted.ts';

/**
 * The service's answer. On abort this calls `abort` and awaits its reply, so that no call outlives the activation.
 * When `isInformed` returns true the host knows already: nothing is sent, and the call's own answer is on its way.
 */
export async function askHost<Answer>(
  ask: () => Promise<Answer>,
  call: {
    readonly signal: AbortSignal;
    readonly abort: () => Promise<void>;
    readonly isInformed?: () => boolean;
  },
): Promise<Answer> {
  const { signal, abort, isInformed } = call;
  let aborting: Promise<void> | null = null;
  const stop = whenAborted(signal, () => {
    if (isInformed?.() === true) return;
    // The answer to an abort is the call's own end; a failure to deliver it means the activation is over anyway.
    aborting = abort().catch(() => {});
  });
  try {
    return await ask();
  } finally {
    stop();
    // An abort still on its way when the activation ends would count as a leftover and cost the thread.
    await aborting;
  }
}
