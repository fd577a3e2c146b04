// Owns the question ahead of a run that nobody watches: would this tool ask somebody first (B12, B13)?
import { describe, TroupeError } from '../errors.ts';
import { isTool } from '../tools/define-tool.ts';
import { jsonSchemaOf } from '../tools/schema.ts';
import type { AnyTool } from '../tools/tool.ts';

/**
 * Of a tool registered on the supervisor. `unknown` when that depends on arguments it must have, and for tools of a module,
 * which are not loaded for a question. Rejects `unknown_tool`.
 */
export async function needsConfirmation(
  name: string,
  registered: readonly (AnyTool | URL)[],
): Promise<'yes' | 'no' | 'unknown'> {
  const tool = registered.filter(isTool).find((each) => each.name === name);
  if (tool === undefined) {
    if (registered.some((each) => each instanceof URL)) return 'unknown';
    throw new TroupeError('unknown_tool', `there is no tool ${describe(name)}`);
  }
  const { needsApproval = false, input } = tool;
  if (typeof needsApproval === 'boolean') return needsApproval ? 'yes' : 'no';
  const { required = [] } = jsonSchemaOf(input);
  if (!Array.isArray(required) || required.length > 0) return 'unknown';
  // Nothing is required, so an empty input is one that the tool takes.
  return (await needsApproval({} as never)) ? 'yes' : 'no';
}
