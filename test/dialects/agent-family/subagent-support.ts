// Owns the arrangement of the subagent tests: a host with subagents in a supervisor, what it logs and traces. Starts no test.
import { z } from 'zod';
import { createMsg } from '#src/dialects/agent-family/base/msg.js';
import { ReActAgent } from '#src/dialects/agent-family/react/react-agent.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { memoryHost } from '#src/dialects/agent-family/subagent/context-source.js';
import type { Permissions } from '#src/dialects/agent-family/subagent/permissions.js';
import {
  type RegistryOptions,
  SubagentRegistry,
} from '#src/dialects/agent-family/subagent/registry.js';
import type { SubagentResponse } from '#src/dialects/agent-family/subagent/response.js';
import {
  SubAgentBase,
  type SubagentInit,
  type SubagentSettings,
} from '#src/dialects/agent-family/subagent/subagent-base.js';
import type { Span, SpanEnd, TraceProvider } from '#src/dialects/agent-family/subagent/tracing.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import type { ModelRequest } from '#src/models/model.js';
import type { Script } from '#src/testing.js';
import { supervise, within } from '../../supervisor/support.ts';

export type RecordedSpan = Span & {
  readonly name: string;
  readonly parentId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  ended: SpanEnd | undefined;
};

/** A tracer that keeps its spans. Ending one twice is an error. */
export class RecordingTracer implements TraceProvider {
  readonly spans: RecordedSpan[] = [];

  startSpan: TraceProvider['startSpan'] = (name, { parent, attributes }) => {
    const span: RecordedSpan = {
      id: `span-${this.spans.length + 1}`,
      name,
      parentId: parent?.id,
      attributes,
      ended: undefined,
      end: (end) => {
        if (span.ended !== undefined) throw new Error(`${name} was ended before`);
        span.ended = end;
      },
    };
    this.spans.push(span);
    return span;
  };

  /** Each span in a line: its name, its parent's, how it ended. */
  lines(): readonly string[] {
    return this.spans.map(({ name, parentId, ended }) => {
      const parent = this.spans.find(({ id }) => id === parentId)?.name ?? '-';
      const end = ended === undefined ? 'open' : (ended.error ?? ended.status);
      return `${name} < ${parent}: ${end}`;
    });
  }
}

/** A logger that keeps its warnings. */
export function recordingLogger() {
  const warnings: {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[] = [];
  return {
    warnings,
    warn: (fields: Readonly<Record<string, unknown>>, message: string) => {
      warnings.push({ fields, message });
    },
  };
}

export const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  run: ({ what }) => `seen: ${what}`,
});

/** Every instance there was, in order; `made` is emptied by `subagents()`. */
export const made: SubAgentBase[] = [];

/** A class of subagents as a program writes it. */
export function scout(settings: Partial<SubagentSettings> = {}) {
  return class Scout extends SubAgentBase {
    constructor(init: SubagentInit) {
      super(init, { systemPrompt: 'You are a scout.', tools: () => [look], ...settings });
      made.push(this);
    }
  };
}

export const spec = (name: string, more: { readonly toolsAllowlist?: readonly string[] } = {}) => ({
  name,
  description: `Does the ${name}.`,
  ...more,
});

/** A host with an empty toolkit, and a registry for its subagents. */
export function arrange(
  script: Script,
  options: {
    readonly permissions?: Partial<Permissions>;
    readonly registry?: Partial<RegistryOptions>;
    readonly supervisor?: Partial<SupervisorOptions>;
    readonly isParallel?: boolean;
  } = {},
) {
  made.length = 0;
  const { supervisor, model, watch } = supervise(script, options.supervisor);
  const host = new ReActAgent({
    name: 'host',
    supervisor,
    systemPrompt: 'You are the host.',
    toolkit: new Toolkit(),
    parallelToolCalls: options.isParallel ?? false,
  });
  const logger = recordingLogger();
  const tracer = new RecordingTracer();
  const span = tracer.startSpan('host', { parent: undefined, attributes: {} });
  const responses: SubagentResponse[] = [];
  const registry = new SubagentRegistry({
    host: memoryHost(host),
    permissions: {
      logger,
      traceProvider: tracer,
      span,
      supervisorName: 'host',
      ...options.permissions,
    },
    transcripts: supervisor,
    onResponse: (response) => responses.push(response),
    ...options.registry,
  });
  /** Hands the registered tools to the host and asks it. */
  const ask = (question = 'Begin.') => {
    for (const tool of registry.tools) {
      if (!host.toolkit.names().includes(tool.name)) host.toolkit.register(tool);
    }
    return within(
      host.reply(createMsg({ name: 'user', role: 'user', content: question })),
      'the reply of the host',
    );
  };
  const requestsOf = (name: string): readonly ModelRequest[] =>
    model.requests().filter(({ agent }) => agent.name === name);
  return { supervisor, model, watch, host, registry, logger, tracer, responses, ask, requestsOf };
}

/** What a tool's result told a host, in its last request. */
export function resultsIn(request: ModelRequest | undefined): readonly unknown[] {
  const last = request?.messages.at(-1);
  return (last?.content ?? []).flatMap((block) =>
    block.type === 'tool_result' ? [block.content] : [],
  );
}
