// Owns what the open calls of a run on the host have come to: kept for a run that leaves its thread meanwhile (W3).
import type { Failure, TroupeError } from '../base/failures.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ToolResult } from '../protocol/history.ts';
import type { HookAnswer } from '../protocol/hooks.ts';
import type { HookKey } from '../protocol/host-services.ts';

/** What the call of a hook came to. */
export type HookOutcome = { readonly answer: HookAnswer } | { readonly failed: Failure };

/** Of one turn: a model may use an id again in the next. */
export class CallAnswers {
  readonly tools = new Map<string, ToolResult>();
  readonly approvals = new Map<string, Approval>();
  readonly hooks = new Map<string, HookOutcome>();
  /** Why calls of tools were ended that had not come yet. */
  readonly endedEarly = new Map<string, TroupeError>();
}

/** The answers of the turn that is on. What comes after its end has no reader. */
export function answersOf(run: { answers: CallAnswers | null }): CallAnswers {
  run.answers ??= new CallAnswers();
  return run.answers;
}

/** The name of a hook's call among those that are open and those that have ended. */
export function idOfHook({ name, at, place }: HookKey): string {
  return `${name} ${at} ${place ?? 'of the run'}`;
}
