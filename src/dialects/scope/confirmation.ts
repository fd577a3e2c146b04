// Owns the check ahead of a run that nobody watches: no tool of it may have to ask somebody (B12, B13).
import type { ToolReference } from '../../agent/definition.ts';
import { TroupeError } from '../../errors.ts';
import type { ScopeRuntime } from './task.ts';

/** Rejects `tool_denied` naming the tool; warns of those that cannot be asked without arguments. */
export async function checkConfirmation(
  tools: readonly ToolReference[],
  runtime: ScopeRuntime,
): Promise<void> {
  for (const tool of tools) {
    if (typeof tool !== 'string') continue;
    switch (await runtime.needsConfirmation(tool)) {
      case 'yes':
        throw new TroupeError(
          'tool_denied',
          `tool ${tool} asks for confirmation, and in a scope nobody is there to give it`,
        );
      case 'unknown':
        runtime.warn(`whether tool ${tool} asks for confirmation depends on its arguments`);
        break;
      case 'no':
        break;
    }
  }
}
