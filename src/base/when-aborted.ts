// Owns the waits for a signal: one listener of it, however many wait. Node looks through all listeners to add one more, and
// prints a warning at the eleventh.
import { setMaxListeners } from 'node:events';
import { reasonOf } from './failures.ts';

const waits = new WeakMap<AbortSignal, Waits>();

type Waits = { readonly fires: Set<() => void>; readonly listener: () => void };

/** Why a run ends whose caller's signal has aborted, with the reason that the caller gave. */
export function whyAborted(signal: AbortSignal): string {
  const { reason }: { readonly reason?: unknown } = signal;
  const isGiven =
    reason !== undefined && !(reason instanceof Error && reason.name === 'AbortError');
  const given = typeof reason === 'string' ? reason : reasonOf(reason);
  return `the caller’s signal was aborted${isGiven ? `: ${given}` : ''}`;
}

/** Calls `fire` when the signal aborts, never for one that has aborted already; returns how to wait no longer. */
export function whenAborted(signal: AbortSignal, fire: () => void): () => void {
  if (signal.aborted) return () => {};
  const { fires, listener } = waits.get(signal) ?? listen(signal);
  fires.add(fire);
  return () => {
    if (!fires.delete(fire) || fires.size > 0 || signal.aborted) return;
    waits.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}

function listen(signal: AbortSignal): Waits {
  const fires = new Set<() => void>();
  const listener = (): void => {
    waits.delete(signal);
    for (const fire of fires) fire();
  };
  const all: Waits = { fires, listener };
  waits.set(signal, all);
  signal.addEventListener('abort', listener, { once: true });
  return all;
}

/** A controller whose signal is handed to code that may listen as often as it likes, and that Node does not warn of. */
export function openController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
