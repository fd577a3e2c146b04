// Owns the check whether a registered tool would ask a person first, ahead of an unattended run (B12, B13).
import { describe, TroupeError } from '../base/failures.ts';
import { type ApprovalRequirement, requirementsNaming } from '../tools/approval-policy.ts';
import { type Confirmation, confirmationOf } from '../tools/confirmation.ts';
import { isTool } from '../tools/define-tool.ts';
import type { AnyTool } from '../tools/tool.ts';

/**
 * Of a tool registered on the supervisor. `unknown` when that depends on arguments it must have, and for tools of a module,
 * which are not loaded for a question. Rejects `unknown_tool`.
 */
export async function needsConfirmation(
  name: string,
  registered: readonly (AnyTool | URL)[],
  required: readonly ApprovalRequirement[],
): Promise<Confirmation> {
  const tool = registered.filter(isTool).find((each) => each.name === name);
  if (tool !== undefined) {
    return requirementsNaming(tool, required).length > 0 ? 'yes' : confirmationOf(tool);
  }
  if (registered.some((each) => each instanceof URL)) return 'unknown';
  throw new TroupeError('unknown_tool', `there is no tool ${describe(name)}`);
}
