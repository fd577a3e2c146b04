// Owns the guess at token counts where no provider counts for us. A guess is always labelled as one by its user.

import type { Message } from '../protocol/history.ts';
import type { ToolSchema } from '../protocol/model-head.ts';

const charsPerToken = 4;

/** Characters / 4, rounded up: the usual rule of thumb for English and code. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / charsPerToken);
}

/** The characters a model reads in these messages; walks every block once. */
export function countChars(messages: readonly Message[]): number {
  let chars = 0;
  for (const message of messages) {
    for (const block of message.content) chars += charsOf(block);
  }
  return chars;
}

/** The characters of the head, which is the same from call to call. */
export function countHeadChars(system: string, tools: readonly ToolSchema[]): number {
  return tools.length === 0 ? system.length : system.length + JSON.stringify(tools).length;
}

/** What an image costs at most in Anthropic's own sizing, as characters. */
export const imageChars = 1_600 * charsPerToken;

function charsOf(block: Message['content'][number]): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking.length;
    case 'redacted_thinking':
      return block.data.length;
    case 'image':
      return imageChars;
    case 'tool_use':
      return block.name.length + (JSON.stringify(block.input)?.length ?? 0);
    case 'tool_result':
      if (typeof block.content === 'string') return block.content.length;
      return block.content.reduce((sum, part) => sum + charsOf(part), 0);
    default:
      // A provider may add kinds of blocks before this list knows them.
      return JSON.stringify(block).length;
  }
}
