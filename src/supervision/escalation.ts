// Owns the escalation as a pure decision: which signal an actor gets next, and when it has settled (S1, S3).

import type { ReceiveResult } from '../actor/host.ts';
import type { ReceiptStage } from '../actor/ref.ts';
import type { StopSignal } from '../actor/signal.ts';

/** What the operation wants of an actor: only its receive ended, or the actor itself. */
export type Goal = 'idle' | 'ended';

/** The current phase of the operation; all its actors share one clock. */
export type EscalationPhase = 'interrupt' | 'stop' | 'kill';

export type EscalationView = {
  readonly want: Goal;
  /** Strength sent so far: 0 none, 1 interrupt, 2 stop, 3 kill. */
  readonly sent: number;
  /** Nothing is in flight. */
  readonly isIdle: boolean;
  /** Its activation has ended, and it is over once its children are (V5): there is no activation left to signal. */
  readonly awaitsChildren: boolean;
  readonly isOver: boolean;
  /** It has no activation, and outlives the one it lost. */
  readonly isPassive: boolean;
  /** Children that the operation also ends are not over yet: stop waits for them, leaf-first (V6). */
  readonly hasLiveChildren: boolean;
};

/** The signal to send now, or null. Strength only rises (S1). */
export function nextSignal(view: EscalationView, phase: EscalationPhase): StopSignal | null {
  if (isComplete(view) || view.awaitsChildren) return null;
  switch (phase) {
    case 'interrupt':
      if (!view.isIdle) return view.sent < 1 ? 'interrupt' : null;
      return stopWhenFree(view);
    case 'stop':
      if (view.sent < 1 && !view.isIdle && view.hasLiveChildren) return 'interrupt';
      return stopWhenFree(view);
    case 'kill':
      return view.sent < 3 ? 'kill' : null;
  }
}

function stopWhenFree(view: EscalationView): StopSignal | null {
  return view.sent < 2 && !view.hasLiveChildren ? 'stop' : null;
}

/** True when the operation has what it wants of this actor. */
export function isComplete(view: EscalationView): boolean {
  if (view.isOver) return true;
  // Once stop was sent there is no way back to merely idle, unless the actor outlives the end of its activation.
  return view.want === 'idle' && view.isIdle && (view.sent < 2 || view.isPassive);
}

/**
 * When the phase that begins now ends. Graces are counted from where the one before was due, the first from the request
 * itself, not from when a timer fired or the last signal was sent: on a machine full of spinning threads both are late,
 * and lateness must not add up on the way to the kill. However late it is, half of the grace is given.
 */
export function nextPhaseDueAt(at: {
  readonly now: number;
  /** When the phase before was due; of the first, when the operation was asked for. */
  readonly countsFrom: number;
  readonly graceMs: number;
}): number {
  const { now, countsFrom, graceMs } = at;
  return Math.max(countsFrom + graceMs, now + graceMs / 2);
}

export type StageFacts = {
  readonly wasOver: boolean;
  /** A message was in flight when the operation began. */
  readonly hadReceive: boolean;
  /** Its first activation had not started, or its only message had not been handed over. */
  readonly wasWaiting: boolean;
  readonly isUnresponsive: boolean;
  readonly sent: number;
  readonly want: Goal;
  readonly lastResult: ReceiveResult | null;
};

/** The receipt's stage: what really ended the actor's work (S4). */
export function stageOf(facts: StageFacts): ReceiptStage {
  if (facts.wasOver) return 'already_dead';
  if (facts.isUnresponsive) return 'unresponsive';
  if (facts.hadReceive) {
    // Work that finished is kept: it counts as completed whatever was on its way (S9).
    if (facts.lastResult === 'processed') return 'completed';
    if (facts.lastResult === 'interrupted' && facts.sent < 3) return 'interrupted';
  } else if (facts.wasWaiting) {
    return 'not_started';
  }
  if (facts.sent >= 3) return 'killed';
  if (facts.sent >= 2 || facts.want === 'ended') return 'stopped';
  return facts.hadReceive ? 'interrupted' : 'completed';
}
