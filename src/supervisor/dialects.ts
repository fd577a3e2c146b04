// Owns which dialects there are for the tools of a program's own loop, and what makes each.
import { z } from 'zod';
import { unreachable } from '../base/failures.ts';
import { nearestName } from '../base/nearest-name.ts';
import { parseOptions } from '../base/parse-options.ts';
import { type AgentToolOptions, agentTools } from '../dialects/claude-code/agent-tool.ts';
import { delegateTaskTool } from '../dialects/delegate-task/delegate-task.ts';
import type { DelegateTaskOptions } from '../dialects/delegate-task/options.ts';
import type { ManagerConfigInput } from '../dialects/subagent-manager/config.ts';
import type { SubagentManager } from '../dialects/subagent-manager/manager.ts';
import type { ManagerOptions } from '../dialects/subagent-manager/settings.ts';
import { type TaskToolOptions, taskTool } from '../dialects/task-tool/task-tool.ts';
import type { ToolSource } from '../sessions/toolbox.ts';
import type { AnyTool } from '../tools/tool.ts';

/** How a session's tools are shaped; each dialect has its own further options. */
export type DialectOptions =
  | ({ readonly dialect: 'agent' } & AgentToolOptions)
  | ({ readonly dialect: 'task' } & TaskToolOptions)
  | ({ readonly dialect: 'delegate-task' } & DelegateTaskOptions)
  | ({
      readonly dialect: 'subagent-manager';
      /** Configures the session anew; without it the session keeps its configuration. */
      readonly config?: ManagerConfigInput;
    } & ManagerOptions);

const dialects = ['agent', 'task', 'delegate-task', 'subagent-manager'] as const;
const dialectSchema = z.looseObject(
  { dialect: z.enum(dialects) },
  { error: ({ input }) => (typeof input === 'string' ? `expected ${namedAs(input)}` : undefined) },
);

function namedAs(text: string): string {
  const dialect = nearestName(text, dialects) ?? dialects[0];
  return `an object: { dialect: "${dialect}" }`;
}

/** What the making of tools may reach in a session. */
export type DialectSession = {
  readonly subagents: () => SubagentManager;
  /** Receives what was corrected in the options. */
  readonly warn: (message: string) => void;
};

/** The tools of a dialect. Throws `invalid_options`. */
export function toolsOfDialect(
  options: DialectOptions,
  { subagents, warn }: DialectSession,
): ToolSource {
  parseOptions(dialectSchema, options, 'session.tools');
  switch (options.dialect) {
    case 'agent': {
      const { dialect: _, ...own } = options;
      return fixed(agentTools(own));
    }
    case 'task': {
      const { dialect: _, ...own } = options;
      return fixed([taskTool(own)]);
    }
    case 'delegate-task': {
      const { dialect: _, ...own } = options;
      return fixed([delegateTaskTool({ onWarning: warn, ...own })]);
    }
    case 'subagent-manager': {
      const { dialect: _, config, ...own } = options;
      const manager = subagents();
      // Whenever the main agent is built, agents of the operator are registered (A33).
      if (config === undefined) manager.registerConfigured(own);
      else manager.configure(config, own);
      const source: ToolSource = {
        // Of a session that was reset there are none, until it is configured again.
        now: () => subagents().offered.now(),
        called: () => subagents().mainRuns.called(source),
      };
      manager.mainRuns.beginWith(source);
      return source;
    }
    default:
      return unreachable(options);
  }
}

function fixed(tools: readonly AnyTool[]): ToolSource {
  return { now: () => tools };
}
