// Owns the tool `terminal` of an agent that may run some commands alone: what it is told of them, and its refusal.
import { type Failure, failure } from '../../../base/failures.ts';
import { isRecord } from '../../../base/is-record.ts';
import { refusal } from '../../refusal.ts';
import type { AnyTool, ToolContext } from '../../tool.ts';
import { allowedText, refuseCommand } from './command-patterns.ts';

/** Patterns of the agent and of each agent above that has some: a command has to pass all of them. */
export type AllowedCommands = readonly (readonly string[])[];

/** Why a call runs no command; null where each list lets it through, and for a call without a command. */
export function deniedCommand(input: unknown, allowed: AllowedCommands): Failure | null {
  const command = isRecord(input) ? input['command'] : undefined;
  if (typeof command !== 'string') return null;
  const faults = allowed.map((patterns) => refuseCommand(command, patterns));
  const fault = faults.find((each) => each !== null) ?? null;
  return fault === null ? null : failure('tool_denied', fault);
}

/** The same tool, which runs no command that one of the lists does not let through, also not in the background. */
export function withAllowedCommands(tool: AnyTool, allowed: AllowedCommands): AnyTool {
  if (allowed.length === 0) return tool;
  return {
    ...tool,
    run: (input: unknown, context: ToolContext) => {
      const denied = deniedCommand(input, allowed);
      // The schema let the input through: it is what the tool takes.
      return denied === null
        ? tool.run(input as never, context)
        : refusal('tool_denied', denied.message);
    },
  };
}

/** The description of the tool for such an agent. */
export function describeAllowed(description: string, allowed: AllowedCommands): string {
  return [description, ...allowed.map(allowedText)].join('\n');
}
