// Owns the check ahead of an unattended run: none of its tools may require a human's confirmation (B12, B13). A supervisor with
// `approve` has somebody to ask.
import type { ToolReference } from '../../agent/definition.ts';
import { TroupeError } from '../../base/failures.ts';
import { confirmationOf } from '../../tools/confirmation.ts';
import type { ScopeRuntime } from './runtime.ts';

/** Rejects `tool_denied` naming the tool; warns of those that cannot be asked without arguments. */
export async function checkConfirmation(
  tools: readonly ToolReference[],
  runtime: ScopeRuntime,
): Promise<void> {
  if (runtime.canAskPerson === true) return;
  for (const tool of tools) {
    // A module is not loaded for a question.
    if (tool instanceof URL) continue;
    const isNamed = typeof tool === 'string';
    const name = isNamed ? tool : tool.name;
    switch (isNamed ? await runtime.needsConfirmation(tool) : await confirmationOf(tool)) {
      case 'yes':
        throw new TroupeError(
          'tool_denied',
          `tool ${name} asks for confirmation, and in a scope nobody is there to give it`,
        );
      case 'unknown':
        runtime.warn(`whether tool ${name} asks for confirmation depends on its arguments`);
        break;
      case 'no':
        break;
    }
  }
}
