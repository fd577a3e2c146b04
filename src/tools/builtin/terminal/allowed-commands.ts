// Owns the tool `terminal` of an agent that may run some commands alone: what it is told of them, and its refusal.
import { isRecord } from '../../../base/is-record.ts';
import { refusal } from '../../refusal.ts';
import type { AnyTool, ToolContext } from '../../tool.ts';
import { allowedText, refuseCommand } from './command-patterns.ts';

/** Patterns of the agent and of each agent above that has some: a command has to pass all of them. */
export type AllowedCommands = readonly (readonly string[])[];

/** The same tool, which runs no command that one of the lists does not let through, also not in the background. */
export function withAllowedCommands(tool: AnyTool, allowed: AllowedCommands): AnyTool {
  if (allowed.length === 0) return tool;
  return {
    ...tool,
    run: (input: unknown, context: ToolContext) => {
      const command = isRecord(input) ? input['command'] : undefined;
      const faults =
        typeof command === 'string'
          ? allowed.map((patterns) => refuseCommand(command, patterns))
          : [];
      const fault = faults.find((each) => each !== null) ?? null;
      // The schema let the input through: it is what the tool takes.
      return fault === null ? tool.run(input as never, context) : refusal('tool_denied', fault);
    },
  };
}

/** The description of the tool for such an agent. */
export function describeAllowed(description: string, allowed: AllowedCommands): string {
  return [description, ...allowed.map(allowedText)].join('\n');
}
