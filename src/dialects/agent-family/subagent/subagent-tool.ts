// Owns the tool by which a host calls a subagent: a plain tool for the host, everything behind it preset (D28, D31, D32).
import { z } from 'zod';
import type { ToolReference } from '../../../agent/definition.ts';
import type { Clock } from '../../../base/clock.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import { capabilityTags } from '../../../tools/tags.ts';
import type { Tool, ToolContext } from '../../../tools/tool.ts';
import { checkedContext, type DelegationContext } from './context.ts';
import type { HostCall, SubagentHost } from './context-source.ts';
import { delegatedRunner, type Transcripts } from './delegated-runner.ts';
import { checkClass, exportAgent, type SubagentClass } from './export-agent.ts';
import { type PermissionBundle, type Permissions, permissionBundle } from './permissions.ts';
import { type SubagentResponse, textOf, unavailabilityOfThrown, unavailable } from './response.ts';
import { type CheckedSpec, checkSpec, defaultToolName, type SubAgentSpec } from './spec.ts';
import type { SubAgentBase } from './subagent-base.ts';
import { endSpan, openSpan, warn } from './tracing-hooks.ts';

/** What a tool's calls are made with and a model never sees. */
export type PresetArguments = {
  readonly host: SubagentHost;
  readonly permissions: Permissions;
  /** Tools of the host that an allowlist may name; as they are now, whatever the host switches later. */
  readonly hostToolkit?: readonly ToolReference[];
  /** Where a subagent reads its own runs back, for its memory: a supervisor. */
  readonly transcripts?: Transcripts;
  /** Default true. */
  readonly ephemeralMemory?: boolean;
  /** Called with each response, its metadata included: a model reads the text alone. */
  readonly onResponse?: (response: SubagentResponse, call: ToolContext) => void;
  readonly clock?: Clock;
};

/** How the tool of a subagent is called, and how long a call may take. */
export type SubagentToolOptions = PresetArguments & {
  /** What the model calls it. Default: `invoke_<name>`. */
  readonly toolName?: string;
  /** Milliseconds a call may take; then the subagent is stopped. Default: none. */
  readonly timeoutMs?: number;
};

export type InvokeSubagent = {
  readonly query: string;
  readonly context?: string | null | undefined;
};

/** A tool, and what a toolkit registers it with. */
export type SubagentTool = {
  /** What a model calls. */
  readonly tool: Tool<InvokeSubagent>;
  /** What it was made from. */
  readonly registration: {
    readonly spec: CheckedSpec;
    readonly toolName: string;
    readonly description: string;
    readonly permissions: PermissionBundle;
    /** Names of the arguments that are set already and no schema shows. */
    readonly presetArguments: readonly string[];
  };
};

const inputSchema = z.object({
  query: z
    .string()
    .min(1)
    .describe('What is to be done, whole: the subagent sees no conversation.'),
  context: z.string().nullish().describe('What it has to know beside the query.'),
});

/**
 * The tool of a subagent. Every call compresses the host's context once, makes a new instance, lets it answer, and
 * hands one text back; what fails is a text too, and the host's loop goes on. Throws `invalid_options`, `invalid_tool`.
 */
export function makeSubagentTool<Agent extends SubAgentBase>(
  cls: SubagentClass<Agent>,
  spec: SubAgentSpec,
  options: SubagentToolOptions,
): SubagentTool {
  checkClass(cls);
  const checked = checkSpec(spec);
  const { toolName = defaultToolName(checked), timeoutMs, ...preset } = options;
  const permissions = permissionBundle(options.permissions);
  const fixed = { ...preset, permissions, hostToolkit: [...(options.hostToolkit ?? [])] };
  const tool = defineTool<InvokeSubagent>({
    name: toolName,
    description: checked.description,
    input: inputSchema,
    // A subagent is offered no such tool: there is one level (D35).
    tags: [...checked.tags, capabilityTags.delegation],
    timeoutMs,
    run: (input, call) => invoke(cls, checked, { input, call, preset: fixed }),
  });
  const presetArguments = Object.keys(fixed).sort();
  const { description } = checked;
  return {
    tool,
    registration: { spec: checked, toolName, description, permissions, presetArguments },
  };
}

type Invocation = {
  readonly input: InvokeSubagent;
  readonly call: ToolContext;
  readonly preset: PresetArguments & { readonly permissions: PermissionBundle };
};

async function invoke<Agent extends SubAgentBase>(
  cls: SubagentClass<Agent>,
  spec: CheckedSpec,
  { input, call, preset }: Invocation,
): Promise<string> {
  const { permissions, onResponse } = preset;
  const parties = { subagent: spec.name, supervisor: permissions.supervisorName };
  const span = openSpan(permissions, `execute_tool ${spec.name}`, {
    parent: preset.host.spanOf?.(hostCall(call)) ?? permissions.span,
    attributes: { ...parties, call: call.callId },
  });
  const respond = async (): Promise<SubagentResponse> => {
    try {
      const task = taskOf(input);
      const context = await contextFor(cls, task, { call, preset });
      const agent = await exportAgent(cls, {
        ...preset,
        spec,
        supervisor: delegatedRunner(call, preset.transcripts),
        task,
      });
      return await agent.delegate(task, { delegationContext: context, span, signal: call.signal });
    } catch (thrown) {
      // Before there is an instance: it could not be made, or its context not.
      const why = unavailabilityOfThrown(thrown);
      warn(permissions, { ...parties, error: why.error }, `subagent ${spec.name}: ${why.message}`);
      return unavailable(why, parties);
    }
  };
  const response = await respond();
  const { error } = response.metadata;
  endSpan(permissions, span, error === undefined ? { status: 'ok' } : { status: 'failed', error });
  onResponse?.(response, call);
  return textOf(response);
}

/** Compressed once, on the host's side, kept there, and the only context that the subagent receives. */
async function contextFor(
  cls: Pick<SubagentClass, 'preContextCompress'>,
  task: string,
  { call, preset }: Pick<Invocation, 'call' | 'preset'>,
): Promise<DelegationContext> {
  const { host } = preset;
  const from = hostCall(call);
  const context = checkedContext(await cls.preContextCompress(host.contextOf(from), task));
  host.keepContext(context, from);
  return context;
}

function hostCall({ agent, callId }: ToolContext): HostCall {
  return { agentId: agent.id, callId };
}

function taskOf({ query, context }: InvokeSubagent): string {
  return context === undefined || context === null || context === ''
    ? query
    : `${query}\n\n${context}`;
}
