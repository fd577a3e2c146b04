// Owns how an idle cell gives up its life and gets another: the states around passivation, pure (P1 to P3).
import type { CellEvent, CellState, Transition } from './lifecycle.ts';
import { ended, killing, none, opened, pausedBy, reportExit } from './transitions.ts';

export function whilePassivating(
  state: Extract<CellState, { status: 'passivating' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'passivated':
      return [{ status: 'passive', isPaused: state.isPaused }, reportExit];
    case 'stayed_live':
      return state.isPaused ? [{ status: 'paused' }, none] : opened;
    case 'life_ended':
      return ended(event.exit, reportExit, state.isPaused);
    case 'stop':
      return [{ status: 'stopping', reason: event.reason }, ['send_stop']];
    case 'kill':
      return killing(event.reason);
    default:
      return [pausedBy(event, state), none];
  }
}

/** Signals apply without a life (P2). */
export function whilePassive(
  state: Extract<CellState, { status: 'passive' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'activate':
      return [{ status: 'activating', isPaused: state.isPaused }, ['launch']];
    case 'stop':
    case 'kill':
      return ended({ reason: event.reason }, reportExit);
    default:
      return [pausedBy(event, state), none];
  }
}

export function whileActivating(
  state: Extract<CellState, { status: 'activating' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'started':
      return state.isPaused ? [{ status: 'paused' }, none] : opened;
    case 'start_failed':
      // What an earlier life kept is there still: the next message tries again.
      return [{ status: 'passive', isPaused: state.isPaused }, none];
    case 'life_ended':
      return ended(event.exit, reportExit, state.isPaused);
    case 'stop':
      return [{ status: 'stopping', reason: event.reason }, ['send_stop']];
    case 'kill':
      return killing(event.reason);
    default:
      return [pausedBy(event, state), none];
  }
}
