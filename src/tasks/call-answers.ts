// Owns what the open calls of a run on the host have come to: kept for a run that leaves its thread meanwhile (W3).
import type { Failure, TroupeError } from '../base/failures.ts';
import type { ToolResult } from '../protocol/history.ts';
import type { HookAnswer, HookName } from '../protocol/hooks.ts';
import type { HookKey } from '../protocol/host-services.ts';

/** What the call of a hook came to. */
export type HookOutcome = { readonly answer: HookAnswer } | { readonly failed: Failure };

/** Of one turn: a model may use an id again in the next. */
export class CallAnswers {
  readonly tools = new Map<string, ToolResult>();
  /** Why the tool may not run; null when it may. */
  readonly approvals = new Map<string, Failure | null>();
  readonly hooks = new Map<string, HookOutcome>();
  /** Why calls of tools were ended that had not come yet. */
  readonly endedEarly = new Map<string, TroupeError>();
}

/** Under which kind the open call of a hook is found. */
export function kindOfHook(name: HookName): 'hook' | 'after_hook' | 'last_hook' {
  if (name === 'afterTool') return 'after_hook';
  return name === 'afterRun' ? 'last_hook' : 'hook';
}

/** A model may give a call any id: no id of a call begins so. */
export function idOfHook({ name, at, place }: HookKey): string {
  return `hook ${name} ${at} ${place ?? 'of the run'}`;
}
