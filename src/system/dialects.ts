// Owns which dialects there are for the tools of a program's own loop, and what makes each.
import { z } from 'zod';
import { type AgentToolOptions, agentTools } from '../dialects/agent-tool/agent-tool.ts';
import { delegateTaskTool } from '../dialects/delegate-task/delegate-task.ts';
import type { DelegateTaskOptions } from '../dialects/delegate-task/options.ts';
import { type TaskToolOptions, taskTool } from '../dialects/task-tool/task-tool.ts';
import { unreachable } from '../errors.ts';
import { parseOptions } from '../options.ts';
import type { AnyTool } from '../tools/tool.ts';

/** How a session's tools are shaped; each dialect has its own further options. */
export type DialectOptions =
  | ({ readonly dialect: 'agent' } & AgentToolOptions)
  | ({ readonly dialect: 'task' } & TaskToolOptions)
  | ({ readonly dialect: 'delegate-task' } & DelegateTaskOptions);

const dialectSchema = z.looseObject({ dialect: z.enum(['agent', 'task', 'delegate-task']) });

/** The tools of a dialect; `warn` hears what of the options was corrected. Throws `invalid_options`. */
export function toolsOfDialect(
  options: DialectOptions,
  warn: (message: string) => void,
): readonly AnyTool[] {
  parseOptions(dialectSchema, options, 'session.tools');
  switch (options.dialect) {
    case 'agent': {
      const { dialect: _, ...own } = options;
      return agentTools(own);
    }
    case 'task': {
      const { dialect: _, ...own } = options;
      return [taskTool(own)];
    }
    case 'delegate-task': {
      const { dialect: _, ...own } = options;
      return [delegateTaskTool({ onWarning: warn, ...own })];
    }
    default:
      return unreachable(options);
  }
}
