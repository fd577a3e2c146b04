// Owns how an idle cell gives up its activation and gets another: the states around passivation, pure (P1 to P3).
import type { CellEvent, CellState, Transition } from './cell-state.ts';
import { none, ready, reportExit, whileClosed, whileNotActivated } from './transitions.ts';

export function whilePassivating(
  state: Extract<CellState, { status: 'passivating' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'passivated':
      return [{ status: 'passivated', isPaused: state.isPaused }, reportExit];
    case 'stayed_live':
      return ready(state);
    default:
      return whileClosed(state, event);
  }
}

/** Signals apply without an activation (P2). */
export function whilePassivated(
  state: Extract<CellState, { status: 'passivated' }>,
  event: CellEvent,
): Transition {
  if (event.type !== 'activate') return whileNotActivated(state, event);
  return [{ status: 'activating', isPaused: state.isPaused }, ['launch']];
}

export function whileActivating(
  state: Extract<CellState, { status: 'activating' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'started':
      return ready(state);
    case 'start_failed':
      // What an earlier activation kept is there still: the next message tries again.
      return [{ status: 'passivated', isPaused: state.isPaused }, none];
    default:
      return whileClosed(state, event);
  }
}
