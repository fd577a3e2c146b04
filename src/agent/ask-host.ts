// Owns a call of the host's services that is given up there when its signal aborts here.

import { whenAborted } from '../base/when-aborted.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

type Asked = { readonly name: string; readonly input: unknown };

/**
 * The service's answer. On abort this notifies the host and awaits its reply, so that no call outlives the activation.
 * When `isTold` returns true the host knows already: nothing is sent, and the call's own answer is on its way.
 */
export async function askHost(
  around: Pick<WorkerEnvironment, 'callService'>,
  { name, input }: Asked,
  call: {
    readonly signal: AbortSignal;
    readonly onAbort: Asked;
    readonly isTold?: () => boolean;
  },
): Promise<unknown> {
  const { signal, onAbort, isTold } = call;
  let aborting: Promise<unknown> | null = null;
  const abort = (): void => {
    if (isTold?.() === true) return;
    // The answer to an abort is the call's own end; a failure to deliver it means the activation is over anyway.
    aborting = around.callService(onAbort.name, onAbort.input).catch(() => {});
  };
  const stop = whenAborted(signal, abort);
  try {
    return await around.callService(name, input);
  } finally {
    stop();
    // An abort still on its way when the activation ends would count as a leftover and cost the thread.
    await aborting;
  }
}
