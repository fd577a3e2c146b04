// Owns what is new of a message that is printed while it grows: the prefix of each, until its last (D3). Prints nothing.
import { blocksOf, type ContentBlock, type Msg } from './msg.ts';

/** A piece of a message, as an agent's output is handed it. */
export type PrintedChunk = {
  /** The id of the message. */
  readonly messageId: string;
  /** The name of its author. */
  readonly name: string;
  /** The block's place in its message. */
  readonly index: number;
  /**
   * What is new of a text, a thought or a sound; any other block whole, once. A text with nothing in it where a last print
   * adds nothing.
   */
  readonly block: ContentBlock;
  /** Nothing more of this message follows this print. */
  readonly isLast: boolean;
};

/** Where what an agent prints goes. */
export type PrintOutput = (chunk: PrintedChunk) => unknown;

export class PrintedPrefixes {
  /** By message, then by the block's place: what of it has been printed. */
  readonly #printed = new Map<string, string[]>();

  /** Messages that wait for their last print. */
  get size(): number {
    return this.#printed.size;
  }

  /**
   * What of this message has not been printed yet. A block that was rewritten is printed again, whole; a last print that adds
   * nothing is an empty text, so that the output still receives the end.
   */
  next(message: Msg, isLast: boolean): readonly PrintedChunk[] {
    const { id: messageId, name } = message;
    const printed = this.#printed.get(messageId) ?? [];
    const chunks = blocksOf(message).flatMap((block, index): PrintedChunk[] => {
      const whole = growing(block);
      const before = printed[index] ?? '';
      if (whole === before) return [];
      printed[index] = whole;
      const from = whole.startsWith(before) ? before.length : 0;
      return [{ messageId, name, index, block: rest(block, from), isLast }];
    });
    if (!isLast) {
      this.#printed.set(messageId, printed);
      return chunks;
    }
    this.#printed.delete(messageId);
    if (chunks.length > 0 || printed.length === 0) return chunks;
    const index = printed.length - 1;
    return [{ messageId, name, index, block: { type: 'text', text: '' }, isLast }];
  }
}

/** The part of a block that grows while it streams; of one that does not, all of it. */
function growing(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'audio':
      return block.source.data;
    default:
      return JSON.stringify(block);
  }
}

function rest(block: ContentBlock, from: number): ContentBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: block.text.slice(from) };
    case 'thinking':
      return { ...block, thinking: block.thinking.slice(from) };
    case 'audio':
      return { ...block, source: { ...block.source, data: block.source.data.slice(from) } };
    default:
      return block;
  }
}
