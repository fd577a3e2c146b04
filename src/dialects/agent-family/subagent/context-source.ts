// Owns what subagents need of their host: the context it provides, and where the compressed context is kept (D38, D41).
import { z } from 'zod';
import { isRecord } from '../../../base/is-record.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import type { Message } from '../../../protocol/history.ts';
import type { Memory } from '../base/memory.ts';
import { blocksOf, type Msg, msgText } from '../base/msg.ts';
import type { ContextBundle, ConversationEntry, DelegationContext, ToolEvent } from './context.ts';
import type { Span } from './tracing.ts';

/** The agent that registers subagents. Each call requests its context once, and passes it the compressed result. */
export interface SubagentHost {
  /** The name of the host, as its subagents know it. */
  readonly name: string;
  /** What the host has when one of its runs calls a subagent. */
  contextOf(call: HostCall): ContextBundle;
  /** Keeps the context with the host's latest user message. Nothing else of a host is ever changed. */
  keepContext(context: DelegationContext, call: HostCall): void;
  /** The host's span of this very call. Default: the one its permissions name. */
  spanOf?(call: HostCall): Span | undefined;
}

/** The call of a subagent's tool, as a host knows it. */
export type HostCall = { readonly agentId: string; readonly callId: string };

/** The parts of an agent of the family that provide its memory. */
export type MemoryOwner = { readonly name: string; readonly memory: Memory };

const isFunction = (value: unknown): boolean => typeof value === 'function';
const ownerSchema = z.custom(
  (value) => isRecord(value) && typeof value['name'] === 'string' && isRecord(value['memory']),
  'expected an agent, with name and memory',
);
const moreSchema = z.strictObject({
  longTermRefs: z.array(z.string()),
  workspace: z.string().optional(),
});
const transcriptSchema = z.strictObject({
  name: z.string(),
  transcript: z.custom(
    isFunction,
    'expected a function, such as (id) => supervisor.transcript(id)',
  ),
  onContext: z.custom(isFunction, 'expected a function').optional(),
});

/** An agent of the family as a host: its short-term memory is the context it provides. */
export function memoryHost(
  agent: MemoryOwner,
  more: Pick<ContextBundle, 'longTermRefs' | 'workspace'> = { longTermRefs: [] },
): SubagentHost {
  parseOptions(ownerSchema, agent, 'memoryHost');
  parseOptions(moreSchema, more, 'memoryHost');
  return {
    name: agent.name,
    contextOf: () => ({ ...bundleOf(agent.memory.messages()), ...more }),
    keepContext(context) {
      const { memory } = agent;
      const latest = memory.messages().findLast(isFromUser);
      if (latest !== undefined) memory.annotate(latest.id, { delegation_context: context });
    },
  };
}

/**
 * Any other agent as a host, by its messages: `(id) => supervisor.transcript(id)`. These messages have no
 * metadata; `onContext` receives what would be there.
 */
export function transcriptHost(options: {
  readonly name: string;
  transcript(agentId: string): readonly Message[];
  onContext?(context: DelegationContext, call: HostCall): void;
}): SubagentHost {
  parseOptions(transcriptSchema, options, 'transcriptHost');
  return {
    name: options.name,
    contextOf: ({ agentId }) => {
      const messages = options.transcript(agentId);
      return { ...bundleOf(messages), longTermRefs: [] };
    },
    keepContext: (context, call) => options.onContext?.(context, call),
  };
}

type SourceMessage = Pick<Msg, 'content'> & {
  readonly role: ConversationEntry['role'];
  readonly name?: string;
};

/** The conversation, and separately the tool results since the latest user message: earlier ones are left out. */
function bundleOf(messages: readonly SourceMessage[]): {
  readonly conversation: readonly ConversationEntry[];
  readonly recentToolResults: readonly ToolEvent[];
} {
  const names = new Map<string, string>();
  const results: ToolEvent[] = [];
  const conversation: ConversationEntry[] = [];
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_use') names.set(block.id, block.name);
      if (block.type !== 'tool_result') continue;
      const { tool_use_id: id, content } = block;
      const text = typeof content === 'string' ? content : msgText({ content });
      results.push({ tool: names.get(id) ?? 'tool', text });
    }
    const text = msgText(message);
    const { role, name } = message;
    if (role === 'user' && text !== '') results.length = 0;
    if (text !== '') conversation.push({ role, text, ...(name === undefined ? {} : { name }) });
  }
  return { conversation, recentToolResults: results };
}

/** False for a message that contains only tool results: no user wrote it. */
function isFromUser(message: Msg): boolean {
  return message.role === 'user' && msgText(message) !== '';
}
