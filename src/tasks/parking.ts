// Owns where a run goes on that has left its thread, and what its calls on the host have come to meanwhile (W3).
import type { RunRecord } from '../agent/run/record.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { ToolUseBlock } from '../protocol/history.ts';
import type { HookName } from '../protocol/hooks.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { CallAnswer, ResumePoint, SavedCall } from '../protocol/saved-run.ts';
import { idOfHook } from './call-answers.ts';
import type { Run } from './state.ts';

/** How the calls stand that a parked run waits for. */
type CallsInHand = {
  /** What those came to that were open and have ended. */
  readonly answers: readonly CallAnswer[];
  readonly isWaiting: boolean;
  /** What was open, has no answer, and is no longer performed: the first such; null when there is none. */
  readonly lost: string | null;
};

/** With one call less a run may have become one that only waits; what a call waits for may be known ahead of its start. */
export const changesWaits: ReadonlySet<RunEvent['type']> = new Set([
  'tool_started',
  'tool_completed',
]);

/** Its thread has left the state of a run that waits outside of it; another state is a fault of that thread. */
export function isLeft({ isParked, saved, phase, parkedCalls, callsOfTurn }: RunRecord): boolean {
  if (!isParked) return false;
  switch (saved.step?.type) {
    case 'in_tools':
      return parkedCalls.length === callsOfTurn.length;
    case 'asking':
      return phase === 'waiting_for_model';
    case 'answered':
      return saved.step.hook !== undefined;
    case 'before_run':
    case 'before_turn':
    case 'paused':
      return true;
    default:
      return false;
  }
}

/** True once nothing is left that a parked run waits for; one that cannot go on as it was goes on to end. */
export function goesOn(run: Run): boolean {
  const { isWaiting, lost } = callsInHand(run);
  if (isWaiting) return false;
  if (lost !== null) run.endFor('error', lostFailure(lost));
  return true;
}

/** Where a run continues that has left a thread, once every call that it had begun is answered; null for one that begins. */
export function resumePoint(run: Run): ResumePoint | null {
  const { record, task, cause, thread } = run;
  const { failedCall } = thread;
  if (!thread.hasLeft) return null;
  const { answers, isWaiting } = callsInHand(run);
  if (isWaiting) return null;
  const { saved, begins, known, lastTokens: usage, digest } = record;
  const emitted = Object.keys(record.emitted);
  const { commits, durable } = thread;
  const point = { runId: task.id, saved, begins, emitted, usage, digest, known };
  return {
    ...point,
    ...(commits === 0 ? {} : { commits, durable }),
    answers: failedCall === null ? answers : [failedCall],
    ...(cause === null ? {} : { interrupted: failure('interrupted', cause.error.message) }),
  };
}

function callsInHand(run: Run): CallsInHand {
  const answers: CallAnswer[] = [];
  let isWaiting = false;
  let lost: string | null = null;
  for (const call of leftCallsOf(run.record)) {
    const answer = answerOf(run, call);
    if (answer !== null) answers.push(answer);
    else if (run.calls.isOpen(call.kind, call.id)) isWaiting = true;
    else {
      const { id } = call;
      lost ??= id;
      answers.push(lostAnswer(call, lostFailure(id)));
    }
  }
  return { answers, isWaiting, lost };
}

/** What a run had open when it left its thread; `place` is that of the tool call in its turn. */
type LeftCall =
  | { readonly kind: 'tool' | 'approval'; readonly id: string; readonly place: number }
  | { readonly kind: 'hook'; readonly id: string; readonly place: number | null };

function leftCallsOf({
  saved: { step },
  callsOfTurn,
  parkedCalls,
}: RunRecord): readonly LeftCall[] {
  switch (step?.type) {
    case 'before_run':
      return [hookCall('beforeRun', step.hook)];
    case 'before_turn':
      return [hookCall('beforeTurn', step.hook)];
    case 'answered':
      return step.hook === undefined ? [] : [hookCall('afterTurn', step.hook)];
    case 'in_tools':
      return parkedCalls.flatMap((left, place) => leftCallOf(left, place, callsOfTurn[place]));
    default:
      return [];
  }
}

function leftCallOf(
  { step, hook = 0 }: SavedCall,
  place: number,
  call: ToolUseBlock | undefined,
): readonly LeftCall[] {
  if (call === undefined) return [];
  switch (step) {
    case 'waiting':
    case 'done':
      return [];
    case 'running':
      return [{ kind: 'tool', id: call.id, place }];
    case 'approving':
      return [{ kind: 'approval', id: call.id, place }];
    case 'before_tool':
      return [hookCall('beforeTool', hook, place)];
    case 'after_tool':
      return [hookCall('afterTool', hook, place)];
  }
}

function hookCall(name: HookName, at: number, place: number | null = null): LeftCall {
  return { kind: 'hook', id: idOfHook({ name, at, place }), place };
}

/** What the call came to; null while it is open, and when it was lost. */
function answerOf({ answers }: Run, call: LeftCall): CallAnswer | null {
  const { id } = call;
  switch (call.kind) {
    case 'tool': {
      const result = answers?.tools.get(id);
      return result === undefined ? null : { type: 'tool_ended', place: call.place, result };
    }
    case 'approval': {
      const approval = answers?.approvals.get(id);
      if (approval === undefined) return null;
      return { type: 'approval_answered', place: call.place, approval };
    }
    case 'hook': {
      const outcome = answers?.hooks.get(id);
      if (outcome === undefined) return null;
      const { place } = call;
      return 'failed' in outcome
        ? { type: 'hook_failed', place, error: outcome.failed }
        : { type: 'hook_answered', place, answer: outcome.answer };
    }
  }
}

function lostAnswer({ kind, place }: LeftCall, error: Failure): CallAnswer {
  switch (kind) {
    case 'tool':
      return { type: 'tool_ended', place, result: { content: error.message, isError: true } };
    case 'approval':
      return { type: 'approval_answered', place, approval: { status: 'denied', failure: error } };
    case 'hook':
      return { type: 'hook_failed', place, error };
  }
}

function lostFailure(id: string): Failure {
  return failure('internal', `call ${id} is no longer performed, and has no result`);
}
