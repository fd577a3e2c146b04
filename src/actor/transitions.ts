// Owns the transitions that several states of a cell share. Leaves out which state takes which (lifecycle.ts).

import type { CellEffect, CellEvent, CellState, Transition } from './cell-state.ts';
import type { Exit, ExitReason } from './exit.ts';

export const none: readonly CellEffect[] = [];
/** The most frequent transitions, made once. */
export const opened: Transition = [{ status: 'running' }, ['open_mail']];
export const reportExit: readonly CellEffect[] = ['report_exit'];
export const endedWhileLive: readonly CellEffect[] = ['close_mail', 'report_exit'];
const released: readonly CellEffect[] = ['release'];

/** A pause lasts until `resume`, whatever activations end and begin meanwhile. */
export function pausedBy<State extends CellState & { readonly isPaused: boolean }>(
  event: CellEvent,
  state: State,
): State {
  const isPaused = event.type === 'pause' || (event.type !== 'resume' && state.isPaused);
  return isPaused === state.isPaused ? state : { ...state, isPaused };
}

/** An activation may take mail from now on, unless the cell is paused. */
export function ready({ isPaused }: { readonly isPaused: boolean }): Transition {
  return isPaused ? [{ status: 'paused' }, none] : opened;
}

/** What meets an activation that is handed no mail yet, or none any more, alike: its end, a signal. */
export function whileClosed(
  state: Extract<CellState, { status: 'starting' | 'passivating' | 'activating' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'activation_ended':
      return ended(event.exit, reportExit, state.isPaused);
    case 'stop':
      return [{ status: 'stopping', reason: event.reason }, ['send_stop']];
    case 'kill':
      return killing(event.reason);
    default:
      return [pausedBy(event, state), none];
  }
}

/** What a cell without an activation does in every such state: there is no activation to signal. */
export function whileNotActivated(
  state: Extract<CellState, { status: 'parked' | 'passivated' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'stop':
    case 'kill':
      return ended({ reason: event.reason }, reportExit);
    default:
      return [pausedBy(event, state), none];
  }
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
