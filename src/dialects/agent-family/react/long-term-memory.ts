// Owns what an agent needs of a long-term memory, who uses it when, and the two tools by which an agent does (D22).
import { z } from 'zod';
import { defineTool } from '../../../tools/define-tool.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { Msg } from '../base/msg.ts';

/** Keeps what is worth knowing beyond a session. Where it keeps it is its own. */
export interface LongTermMemory {
  /** Records the messages of a conversation. */
  record(messages: readonly Msg[]): Promise<void>;
  /** What it knows about it; empty when nothing. */
  retrieve(messages: readonly Msg[]): Promise<string>;
  /** Records what the agent chose to remember. Resolves with the text that the agent receives. */
  recordToMemory(thinking: string, content: readonly string[]): Promise<string>;
  /** What it knows of each. */
  retrieveFromMemory(keywords: readonly string[]): Promise<string>;
}

export const longTermMemoryModes = ['agent_control', 'static_control', 'both'] as const;
/** Whether the agent has tools for it, or it is queried before and updated after each reply, or both. */
export type LongTermMemoryMode = (typeof longTermMemoryModes)[number];

/** Something that is asked before each reply. */
export interface KnowledgeBase {
  /** What it knows about the text; an empty list for nothing. */
  retrieve(query: string): Promise<readonly string[]>;
}

export function longTermMemoryTools(memory: LongTermMemory): readonly AnyTool[] {
  return [
    defineTool({
      name: 'record_to_memory',
      description:
        'Keeps what you will want to know in later conversations: names, wishes, decisions, facts. One fact per entry.',
      input: z.object({
        thinking: z.string().describe('Why it is worth keeping.'),
        content: z.array(z.string().min(1)).min(1),
      }),
      run: ({ thinking, content }) => memory.recordToMemory(thinking, content),
    }),
    defineTool({
      name: 'retrieve_from_memory',
      description: 'Looks up what was kept in earlier conversations.',
      input: z.object({ keywords: z.array(z.string().min(1)).min(1) }),
      run: ({ keywords }) => memory.retrieveFromMemory(keywords),
    }),
  ];
}
