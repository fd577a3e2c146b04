// Owns the wait for a person in code of the service: the clocks of the run stand still meanwhile (V8).
import type { Clock } from '../../base/clock.ts';
import { unlessAborted } from '../../base/with-abort.ts';
import { suspendClocks } from '../run-clocks.ts';
import type { Run } from '../state.ts';
import type { WaitForPerson } from './host-hooks.ts';

/** The waits of one run. After the limit its clocks go on, and end it in their time. */
export function waitsForPersons(
  run: Run,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): WaitForPerson {
  return async (answer, { callId, signal }) => {
    // The hook after a run that was ended is awaited all the same, and no clock of it runs.
    if (signal.aborted) return answer;
    const resume = suspendClocks(run, callId);
    let isOver = false;
    const end = (): void => {
      if (!isOver) resume();
      isOver = true;
    };
    const cancel = clock.after(timeoutMs, end);
    try {
      return await unlessAborted(signal, Promise.resolve(answer));
    } finally {
      cancel();
      end();
    }
  };
}
