// Owns the delegation of a single task by a tool. Leaves out what its outcome means (describe-outcome.ts).
import { TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Subtask, ToolContext } from './tool.ts';

/** Hands one task over as `ToolContext.delegate` does and resolves with its outcome; the task ends with the call. */
export async function delegateOne(
  { delegate }: Pick<ToolContext, 'delegate'>,
  task: Subtask,
): Promise<Outcome> {
  const [outcome] = await delegate([task]);
  if (outcome === undefined) throw new TroupeError('internal', 'a task has no outcome');
  return outcome;
}
