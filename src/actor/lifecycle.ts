// Owns the lifecycle of a cell as a pure transition: which states there are, what each event does, and nothing else.

import { unreachable } from '../base/failures.ts';
import type { CellEvent, CellState, Transition } from './cell-state.ts';
import type { Exit } from './exit.ts';
import { whileActivating, whilePassivated, whilePassivating } from './lifecycle-passivated.ts';
import {
  ended,
  endedWhileLive,
  finished,
  killing,
  launched,
  none,
  opened,
  pausedBy,
  ready,
  reportExit,
  whileClosed,
  whileNotActivated,
} from './transitions.ts';

/** Of a cell with an activation on its way, and of those that begin without one. */
export const firstStates = {
  starting: { status: 'starting', isPaused: false },
  passivated: { status: 'passivated', isPaused: false },
  parked: { status: 'parked', isPaused: false },
} as const satisfies Readonly<Record<string, CellState>>;

/** True once no activation is running and none is on the way. */
export function isOver(state: CellState): boolean {
  return state.status === 'stopped' || state.status === 'unresponsive';
}

/** True while an activation is on its way that has not started. */
export function isBeginning({ status }: CellState): boolean {
  return status === 'starting' || status === 'activating';
}

/** True while the cell takes new mail: until its end has begun, then only when it is to restart (V3). */
export function takesMail(state: CellState, isRestarting: () => boolean): boolean {
  if (state.status === 'stopping' || state.status === 'killing') return isRestarting();
  return !isOver(state);
}

/** How the cell ended; null while it has not. */
export function exitOf(state: CellState): Exit | null {
  if (state.status === 'stopped') return state.exit;
  return state.status === 'unresponsive' ? { reason: 'unresponsive' } : null;
}

/** True while an activation may receive mail; `hasSlot` is true for one that has its slot and has not started. */
export function mayTakeMail(state: CellState, hasSlot: boolean): boolean {
  switch (state.status) {
    case 'running':
      return true;
    case 'starting':
    case 'activating':
      return hasSlot && !state.isPaused;
    default:
      return false;
  }
}

/** The state after `event`, and what is to be done; an event that means nothing here changes nothing. */
export function transition(state: CellState, event: CellEvent): Transition {
  switch (state.status) {
    case 'starting':
      return whileStarting(state, event);
    case 'running':
    case 'paused':
      return whileLive(state, event);
    case 'stopping':
      return whileStopping(state, event);
    case 'killing':
      return whileKilling(state, event);
    case 'ended':
      return betweenActivations(state, event);
    case 'parked':
      return whileParked(state, event);
    case 'passivating':
      return whilePassivating(state, event);
    case 'passivated':
      return whilePassivated(state, event);
    case 'activating':
      return whileActivating(state, event);
    case 'unresponsive':
      if (event.type !== 'activation_ended') return [state, none];
      return [{ status: 'stopped', exit: { reason: 'unresponsive' } }, ['report_gone']];
    case 'stopped':
      return [state, none];
    default:
      return unreachable(state);
  }
}

function whileStarting(
  state: Extract<CellState, { status: 'starting' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'started':
      return ready(state);
    case 'start_failed': {
      const exit: Exit = { reason: 'spawn_failed', failure: event.failure };
      return ended(exit, reportExit, state.isPaused);
    }
    default:
      return whileClosed(state, event);
  }
}

function whileLive(
  state: Extract<CellState, { status: 'running' | 'paused' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'activation_ended':
      return ended(event.exit, endedWhileLive, state.status === 'paused');
    case 'stop':
      return [{ status: 'stopping', reason: event.reason }, ['close_mail', 'send_stop']];
    case 'kill':
      return killing(event.reason);
    case 'pause':
      return state.status === 'paused' ? [state, none] : [{ status: 'paused' }, ['close_mail']];
    case 'resume':
      return state.status === 'running' ? [state, none] : opened;
    case 'parked':
      return [{ status: 'parked', isPaused: state.status === 'paused' }, ['close_mail']];
    case 'passivate':
      if (state.status === 'paused') return [state, none];
      return [{ status: 'passivating', isPaused: false }, ['close_mail', 'ask_snapshot']];
    default:
      return [state, none];
  }
}

function whileStopping(
  state: Extract<CellState, { status: 'stopping' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'start_failed':
      return ended({ reason: 'spawn_failed', failure: event.failure }, reportExit);
    case 'activation_ended': {
      // An activation that ended well gets the reason of the stop; a crash on the way is still reported as a crash.
      const isCrash = event.exit.reason === 'crashed' || event.exit.reason === 'out_of_memory';
      return ended(isCrash ? event.exit : { ...event.exit, reason: state.reason }, reportExit);
    }
    case 'kill':
      return killing(event.reason);
    case 'parked':
    case 'passivated':
      return ended({ reason: state.reason }, reportExit);
    default:
      return [state, none];
  }
}

function whileKilling(
  state: Extract<CellState, { status: 'killing' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'activation_ended':
    case 'start_failed':
    case 'parked':
    case 'passivated':
      return ended({ reason: state.reason }, reportExit);
    case 'kill_overdue':
      return [{ status: 'unresponsive' }, ['report_unresponsive', 'release']];
    default:
      return [state, none];
  }
}

function whileParked(
  state: Extract<CellState, { status: 'parked' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'activate':
      return launched(state.isPaused);
    case 'activation_ended':
      return ended(event.exit, reportExit, state.isPaused);
    case 'passivated':
      return [{ status: 'passivated', isPaused: state.isPaused }, none];
    default:
      return whileNotActivated(state, event);
  }
}

function betweenActivations(
  state: Extract<CellState, { status: 'ended' }>,
  event: CellEvent,
): Transition {
  switch (event.type) {
    case 'restart':
      return launched(state.isPaused);
    case 'passivate':
      return [{ status: 'passivated', isPaused: state.isPaused }, ['next_incarnation']];
    case 'finish':
      return finished(event.exit);
    default:
      return [pausedBy(event, state), none];
  }
}
