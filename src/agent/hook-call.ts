// Owns one call of a hook on the host or in a thread: checks its answer, names its failure, stops waiting on abort.
import { TroupeError, toFailure } from '../base/failures.ts';
import { nextTurn } from '../base/next-turn.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { HookAnswer, HookName } from '../protocol/hooks.ts';
import {
  type HookContext,
  type HookPayloads,
  type Hooks,
  hookFailure,
  readAnswer,
} from './hooks.ts';

/** A hook by name, and its payload. */
export type HookCall = {
  [Name in HookName]: { readonly name: Name; readonly subject: HookPayloads[Name] };
}[HookName];

/**
 * Calls a hook. Rejects `hook_failed`, or with the signal's reason when that aborts meanwhile and the hook does not end
 * within one turn of the event loop; `onAbandoned` then receives a promise that resolves when its code ends. A hook
 * that is called under a signal that has aborted already, as after an interrupted run, is awaited.
 */
export async function callHook(
  hooks: Hooks,
  { name, subject }: HookCall,
  context: HookContext,
  onAbandoned: (late: Promise<unknown>) => void = () => {},
): Promise<HookAnswer> {
  const { signal } = context;
  // Name and subject come in pairs; TypeScript forgets it over a union of functions.
  const hook = hooks[name] as ((subject: unknown, context: HookContext) => unknown) | undefined;
  if (hook === undefined) return null;
  const wasAborted = signal.aborted;
  const finished = (async () => readAnswer(name, await hook.call(hooks, subject, context)))();
  let isGivenUp = false;
  let onAbort = (): void => {};
  const givenUp = new Promise<never>((_resolve, reject) => {
    onAbort = () =>
      void nextTurn().then(() => {
        isGivenUp = true;
        reject(signal.reason);
      });
  });
  const stop = whenAborted(signal, onAbort);
  try {
    return await Promise.race([finished, givenUp]);
  } catch (error) {
    // Abandoned code may end at any time; its failure adds nothing to the abort that was already reported.
    if (isGivenUp) onAbandoned(finished.catch(() => {}));
    if (!wasAborted && signal.aborted && error === signal.reason) {
      throw TroupeError.from(toFailure(error, 'interrupted'));
    }
    throw TroupeError.from(hookFailure(name, error));
  } finally {
    stop();
  }
}
