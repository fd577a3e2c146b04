// Owns which dialects there are for the tools of a program's own loop, and what makes each.
import { z } from 'zod';
import { type TaskToolOptions, taskTool } from '../dialects/task-tool/task-tool.ts';
import { parseOptions } from '../options.ts';
import type { AnyTool } from '../tools/tool.ts';

/** How a session's tools are shaped; each dialect has its own further options. */
export type DialectOptions = { readonly dialect: 'task' } & TaskToolOptions;

const dialectSchema = z.looseObject({ dialect: z.enum(['task']) });

/** The tools of a dialect. Throws `invalid_options`. */
export function toolsOfDialect(options: DialectOptions): readonly AnyTool[] {
  parseOptions(dialectSchema, options, 'session.tools');
  const { dialect, ...own } = options;
  switch (dialect) {
    case 'task':
      return [taskTool(own)];
  }
}
