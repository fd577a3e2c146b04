// Owns the restart table: which exit a restart type repairs, and which siblings a strategy takes along.
import type { RestartType } from '../actor/behavior.ts';
import { type ExitReason, isNormalExit } from '../actor/exit.ts';
import { unreachable } from '../base/failures.ts';
import type { Strategy } from './child-spec.ts';

/** Ends that were decided, by a caller or a limit: no restart type undoes them. */
const decided: ReadonlySet<ExitReason> = new Set([
  'interrupted',
  'stopped',
  'killed',
  'parent_exit',
  'restart_intensity',
  'unresponsive',
]);

/** True when a child that ended so is started again (V2). */
export function shouldRestart(type: RestartType, reason: ExitReason): boolean {
  if (decided.has(reason)) return false;
  switch (type) {
    case 'permanent':
      return true;
    case 'transient':
      return !isNormalExit(reason);
    case 'temporary':
      return false;
    default:
      return unreachable(type);
  }
}

/** The children that restart together with `failed`, in start order; `children` is in start order. */
export function affectedBy<Child>(
  strategy: Strategy,
  children: readonly Child[],
  failed: Child,
): readonly Child[] {
  switch (strategy) {
    case 'one_for_one':
      return [failed];
    case 'one_for_all':
      return children;
    case 'rest_for_one': {
      const at = children.indexOf(failed);
      return at < 0 ? [failed] : children.slice(at);
    }
    default:
      return unreachable(strategy);
  }
}
