// Owns how an agent's memory becomes the conversation a model is asked with: the formatter, and its default (D15). Pure.
import { fromStored, type StoredMessage } from '../../../agent/prompt/preamble.ts';
import type { AssistantBlock, Message, UserBlock } from '../../../protocol/history.ts';
import { blocksOf, type ContentBlock, type Msg } from '../base/msg.ts';

/** Makes the conversation out of the memory; `system` messages that it returns are left out. */
export type Formatter = (
  messages: readonly Msg[],
  agent: { readonly name: string },
) => readonly StoredMessage[] | Promise<readonly StoredMessage[]>;

/**
 * The default: the agent's own messages are the assistant's side, all others the user's. Messages of other agents begin
 * with the name. Thoughts of others are left out, and a sound is replaced by a text that mentions it.
 */
export const chatFormatter: Formatter = (messages, agent) =>
  messages.flatMap((message): StoredMessage[] => {
    const isOwn = message.role === 'assistant' && message.name === agent.name;
    const blocks = blocksOf(message);
    const content = isOwn ? blocks.flatMap(ownBlock) : othersBlocks(message, blocks);
    return content.length === 0 ? [] : [{ role: isOwn ? 'assistant' : 'user', content }];
  });

function ownBlock(block: ContentBlock): AssistantBlock[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [block];
    case 'image':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return [block];
    default:
      return [];
  }
}

function othersBlocks(message: Msg, blocks: readonly ContentBlock[]): UserBlock[] {
  const shown = blocks.flatMap(userBlock);
  const first = shown[0];
  if (message.role !== 'assistant' || first?.type !== 'text') return shown;
  return [{ ...first, text: `${message.name}: ${first.text}` }, ...shown.slice(1)];
}

function userBlock(block: ContentBlock): UserBlock[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [block];
    case 'image':
    case 'tool_result':
      return [block];
    case 'audio':
      return [{ type: 'text', text: `(a sound, ${block.source.media_type})` }];
    default:
      return [];
  }
}

/** The text sent to an agent whose memory does not end with a user's text. */
const goOn = 'Go on.';

/** A conversation that a model can answer, even if it is empty or ends with a message of the agent itself. */
export function asRequest(messages: readonly Message[]): readonly Message[] {
  if (messages.at(-1)?.role === 'user') return messages;
  return [...messages, { role: 'user', content: [{ type: 'text', text: goOn }] }];
}

/** A conversation as a task takes it: the earlier messages, and the text of the goal. */
export function asTask(stored: readonly StoredMessage[]): {
  readonly goal: string;
  readonly initialMessages: readonly StoredMessage[];
} {
  const messages = fromStored(stored);
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'user' || block?.type !== 'text')
    return { goal: goOn, initialMessages: messages };
  const texts = last.content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
  const before = messages.slice(0, -1);
  if (texts.length === last.content.length) {
    return { goal: texts.join('\n\n'), initialMessages: before };
  }
  const rest = { ...last, content: last.content.slice(0, -1) };
  return { goal: block.text, initialMessages: [...before, rest] };
}
