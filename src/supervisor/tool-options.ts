// Owns a supervisor's options for tools: its own toolsets, the web. Their shape and their check.
import { z } from 'zod';
import { toolSettingFields } from '../agent/tool-settings.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { functionSchema } from '../base/function-schema.ts';
import { isRecord } from '../base/is-record.ts';
import type { ToolSettings } from '../protocol/tool-settings.ts';
import type { Approve } from '../tasks/services/approvals.ts';
import type { OnQuestion } from '../tasks/services/questions.ts';
import { type ApprovalPolicy, approvalSchema } from '../tools/approval-policy.ts';
import { type TerminalOptions, terminalToolset } from '../tools/builtin/terminal.ts';
import type { SearchProvider } from '../tools/builtin/web/search.ts';
import { type WebOptions, webToolset } from '../tools/builtin/web.ts';
import { isTool } from '../tools/define-tool.ts';
import { checkUniqueNames } from '../tools/grants.ts';
import { type HostToolset, type OpenToolset, statelessToolset } from '../tools/host-toolset.ts';
import type { ToolStubs } from '../tools/stubs.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Toolset } from '../tools/toolset.ts';
import { builtinToolsets } from '../tools/toolsets.ts';

/** A toolset of the program: host tools, which with `open` keep something per agent. */
export type ToolsetOptions = Toolset & Partial<Pick<HostToolset, 'open'>>;

export type ToolOptions = {
  /** Further toolsets that agents may name, beside `file`, `todo`, `terminal` and `web`. */
  readonly toolsets?: readonly ToolsetOptions[];
  readonly web?: WebOptions;
  /** Asks a person for tools that need it; `() => true` approves of every call. Without it they are denied. */
  readonly approve?: Approve;
  /**
   * Tools that need it in every agent and in the tools of every session, beside those that agents and tasks require and those
   * that declare it themselves. Throws `unknown_tool` for a name that is nearly one of a tool.
   */
  readonly approval?: ApprovalPolicy;
  /** Answers agents that ask upward by `askParentTool`; without it only `supervisor.answer` does. */
  readonly onQuestion?: OnQuestion;
  /** Functions in the place of tools, for tests: what `stubTools` of `troupe/testing` made. */
  readonly stubs?: ToolStubs;
  /** For every agent whose definition or task does not set its own. */
  readonly toolSettings?: ToolSettings;
};

export const toolOptionFields = {
  toolsets: z
    .array(
      z.strictObject(
        {
          name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -'),
          description: z.string(),
          tools: z
            .array(z.custom<AnyTool>(isTool, 'expected a tool made by defineTool'))
            .min(1, 'expected at least one tool'),
          open: functionSchema<(owner: unknown) => OpenToolset>().optional(),
        },
        {
          error: ({ code }) =>
            code === 'invalid_type'
              ? 'expected a toolset of your own: { name, description, tools }; agents and tasks name the others'
              : undefined,
        },
      ),
    )
    .optional(),
  approve: functionSchema<Approve>().optional(),
  approval: approvalSchema.optional(),
  onQuestion: functionSchema<OnQuestion>().optional(),
  stubs: z
    .custom<ToolStubs>(
      (value) => isRecord(value) && value['kind'] === 'tool_stubs',
      'expected what stubTools of troupe/testing made',
    )
    .optional(),
  toolSettings: z.strictObject(toolSettingFields).optional(),
  web: z
    .strictObject({
      search: functionSchema<SearchProvider>().optional(),
      allow: z.array(z.string().min(1)).optional(),
      // Checked by web/headers.ts: an error here would show the value, and with it a key.
      headers: z.unknown().optional(),
      timeoutMs: z.number().positive().optional(),
      maxBytes: z.number().int().min(1).optional(),
    })
    .optional(),
};

/** The toolsets of the host. Throws `invalid_options` when two toolsets share a name, `invalid_tool` when two tools of one do. */
export function hostToolsets(
  { toolsets = [], web }: ToolOptions,
  shell: TerminalOptions,
  workerUrl?: URL,
): readonly HostToolset[] {
  const own = toolsets.map(({ open, ...toolset }) =>
    open === undefined ? statelessToolset(toolset) : { ...toolset, open },
  );
  for (const { name, tools } of own) checkUniqueNames(tools, `toolset ${describe(name)}`);
  const all = [terminalToolset(shell), webToolset(shell.clock, web, workerUrl), ...own];
  const names = new Set(builtinToolsets.map(({ name }) => name));
  for (const { name } of all) {
    if (names.has(name)) {
      throw new TroupeError('invalid_options', `toolsets: two are named ${describe(name)}`);
    }
    names.add(name);
  }
  return all;
}
