// Owns what a subagent receives of its host: the host's bundle, and how it becomes the context (D38 to D40). Pure.

/** What a host has at hand when it delegates. */
export type ContextBundle = {
  /** Its conversation so far, oldest first, as texts. It never reaches a subagent as it is. */
  readonly conversation: readonly ConversationEntry[];
  /** Results of its last tool calls, oldest first. */
  readonly recentToolResults: readonly ToolEvent[];
  /** References into long-term memory, not what is kept there. */
  readonly longTermRefs: readonly string[];
  /** Where the host's own files are. */
  readonly workspace?: string;
};

export type ConversationEntry = {
  readonly role: 'user' | 'assistant' | 'system';
  readonly name?: string;
  readonly text: string;
};

export type ToolEvent = { readonly tool: string; readonly text: string };

/** What a subagent is handed of its host: all five keys, always. Names are those of the source. */
export type DelegationContext = {
  /** The task it is handed, clipped. */
  readonly task_summary: string;
  /** At most four, oldest first. */
  readonly recent_events: readonly string[];
  /** References into long-term memory. */
  readonly long_term_refs: readonly string[];
  /** Where the host's own files are. */
  readonly workspace_pointers: readonly string[];
  /** Cautions that it reads with its task; empty unless the program adds some. */
  readonly safety_flags: readonly string[];
};

/** The context of a host that provides none. */
export const emptyContext: ContextBundle = Object.freeze({
  conversation: [],
  recentToolResults: [],
  longTermRefs: [],
});

const maxRecentEvents = 4;
const maxEventChars = 200;
const maxSummaryChars = 2_000;
const maxRefs = 16;

/**
 * The default compression, for a class that defines no other: the task as it was given, and the newest events of the
 * host, cut short. Of the conversation, only messages after the host's latest user message can be among them: earlier
 * ones do not concern the subagent.
 */
export function compressContext(parent: ContextBundle, task: string): DelegationContext {
  const { conversation, recentToolResults, longTermRefs, workspace } = parent;
  const results = recentToolResults.map(({ tool, text }) => `${tool}: ${text}`);
  const recent = sinceLatestUser(conversation).map(({ role, text }) => `${role}: ${text}`);
  return checkedContext({
    task_summary: clip(task, maxSummaryChars),
    recent_events: [...recent, ...results].filter((text) => text.trim() !== ''),
    long_term_refs: longTermRefs.slice(-maxRefs),
    workspace_pointers: workspace === undefined ? [] : [workspace],
    safety_flags: [],
  });
}

/** A context within its bounds, whatever its origin: five keys, at most four events, each cut short. */
export function checkedContext(context: Partial<DelegationContext>): DelegationContext {
  const { task_summary, recent_events, long_term_refs, workspace_pointers, safety_flags } = context;
  return Object.freeze({
    task_summary: String(task_summary ?? ''),
    recent_events: Object.freeze(
      (recent_events ?? []).slice(-maxRecentEvents).map((text) => clip(text, maxEventChars)),
    ),
    long_term_refs: Object.freeze([...(long_term_refs ?? [])]),
    workspace_pointers: Object.freeze([...(workspace_pointers ?? [])]),
    safety_flags: Object.freeze([...(safety_flags ?? [])]),
  });
}

/** The message in which a subagent reads its context: one text, the same for the same context. */
export function contextText(context: DelegationContext): string {
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Recent events', context.recent_events],
    ['Long-term references', context.long_term_refs],
    ['Workspace', context.workspace_pointers],
    ['Safety', context.safety_flags],
  ];
  const sections = parts.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`],
  );
  return [`Delegated task: ${context.task_summary}`, ...sections].join('\n\n');
}

function sinceLatestUser(conversation: readonly ConversationEntry[]): readonly ConversationEntry[] {
  const latest = conversation.findLastIndex(({ role }) => role === 'user');
  return latest === -1 ? [] : conversation.slice(latest);
}

/** At most so many characters, whole ones: some providers refuse a request for half a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
