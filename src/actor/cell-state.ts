// Owns what the lifecycle of a cell is made of: its states, the events that change them, the effects of a change.
import type { Failure } from '../base/failures.ts';
import type { Exit, ExitReason } from './exit.ts';

export type CellState =
  | { readonly status: 'starting'; readonly isPaused: boolean }
  | { readonly status: 'running' }
  | { readonly status: 'paused' }
  /** Stop was sent; the activation cleans up and ends with `reason`. */
  | { readonly status: 'stopping'; readonly reason: ExitReason }
  /** Kill was sent; it settles when the activation's host is gone (S7). */
  | { readonly status: 'killing'; readonly reason: ExitReason }
  /** An activation is over; the supervisor restarts the cell or finishes it. */
  | { readonly status: 'ended'; readonly exit: Exit; readonly isPaused: boolean }
  /** Gave up its activation; the receive in hand continues in the next one (V7). */
  | { readonly status: 'parked'; readonly isPaused: boolean }
  /** Idle and asked for its snapshot: no mail is handed over until the activation has answered (P1). */
  | { readonly status: 'passivating'; readonly isPaused: boolean }
  /** No activation, and no mail that waits for one: the next message makes one (P1, P2). */
  | { readonly status: 'passivated'; readonly isPaused: boolean }
  /** Passive no more: the activation that continues has not started yet. */
  | { readonly status: 'activating'; readonly isPaused: boolean }
  /** Killed, and its thread did not exit (S7). */
  | { readonly status: 'unresponsive' }
  | { readonly status: 'stopped'; readonly exit: Exit };

export type CellEvent =
  | { readonly type: 'started' }
  | { readonly type: 'start_failed'; readonly failure: Failure }
  | { readonly type: 'activation_ended'; readonly exit: Exit }
  | { readonly type: 'stop'; readonly reason: ExitReason }
  | { readonly type: 'kill'; readonly reason: ExitReason }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'parked' }
  | { readonly type: 'activate' }
  /** Ends an idle activation; a cell whose activation was lost remains without one. */
  | { readonly type: 'passivate' }
  | { readonly type: 'passivated' }
  | { readonly type: 'stayed_live' }
  | { readonly type: 'kill_overdue' }
  | { readonly type: 'restart' }
  | { readonly type: 'finish'; readonly exit: Exit };

export type CellEffect =
  /** Mail may be handed to the activation. */
  | 'open_mail'
  /** No more mail is handed over; what was not started comes back. */
  | 'close_mail'
  | 'send_stop'
  | 'kill_host'
  /** Ten seconds from now, a host that is still there makes the cell unresponsive. */
  | 'watch_kill'
  /** The activation is over; an exit is the supervisor's to know. */
  | 'report_exit'
  | 'launch'
  | 'ask_snapshot'
  /** A new incarnation begins: later activations belong to it, not to the one before (V3). */
  | 'next_incarnation'
  /** Dead-letter the mail, release the name, notify the watchers: the end of the cell. */
  | 'release'
  | 'report_unresponsive'
  /** An unresponsive thread exited after all: its slot is free. */
  | 'report_gone';

export type Transition = readonly [CellState, readonly CellEffect[]];
