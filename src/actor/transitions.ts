// Owns the transitions that several states of a cell share. Leaves out which state takes which (lifecycle.ts).
import type { Exit, ExitReason } from './exit.ts';
import type { CellEffect, CellEvent, CellState, Transition } from './lifecycle.ts';

export const none: readonly CellEffect[] = [];
/** The transitions of every actor's ordinary life, made once. */
export const opened: Transition = [{ status: 'running' }, ['open_mail']];
export const reportExit: readonly CellEffect[] = ['report_exit'];
export const endedWhileLive: readonly CellEffect[] = ['close_mail', 'report_exit'];
export const released: readonly CellEffect[] = ['release'];

/** A pause holds until `resume`, whatever lives end and begin meanwhile. */
export function pausedBy<State extends CellState & { readonly isPaused: boolean }>(
  event: CellEvent,
  state: State,
): State {
  const isPaused = event.type === 'pause' || (event.type !== 'resume' && state.isPaused);
  return isPaused === state.isPaused ? state : { ...state, isPaused };
}

export function launched(isPaused: boolean): Transition {
  return [{ status: 'starting', isPaused }, ['next_incarnation', 'launch']];
}

export function ended(exit: Exit, effects: readonly CellEffect[], isPaused = false): Transition {
  return [{ status: 'ended', exit, isPaused }, effects];
}

export function killing(reason: ExitReason): Transition {
  return [{ status: 'killing', reason }, ['close_mail', 'kill_host', 'watch_kill']];
}

export function finished(exit: Exit): Transition {
  return [{ status: 'stopped', exit }, released];
}
