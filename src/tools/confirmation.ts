// Owns the question ahead of any call: would this tool ask a person first? Asks no person and runs no tool.
import { validate } from './schema.ts';
import type { AnyTool } from './tool.ts';

/** What is known ahead of a call; `unknown` when it depends on arguments the tool must have. */
export type Confirmation = 'yes' | 'no' | 'unknown';

/**
 * Of a tool that takes an empty input, judged by that input as its schema completes it. Rejects with what `needsApproval`
 * throws.
 */
export async function confirmationOf({
  needsApproval = false,
  input,
}: AnyTool): Promise<Confirmation> {
  if (typeof needsApproval === 'boolean') return needsApproval ? 'yes' : 'no';
  const judged = await validate(input, {});
  if (judged.issues !== undefined) return 'unknown';
  // As with `run`: what the schema made is what the tool takes.
  return (await needsApproval(judged.value as never)) ? 'yes' : 'no';
}
