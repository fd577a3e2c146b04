// Owns the ids of one conversation's tool calls: no two calls have the same one, whatever their provider named them.
import { isRecord } from '../../base/is-record.ts';
import type { AssistantBlock, Message, ToolUseBlock, UserBlock } from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';

/** Providers take back ids of at most 64 characters; this leaves space for a suffix that makes an id unique. */
const maxKept = 56;

/** Results, idempotency keys, events and providers distinguish calls by their ids alone. */
export class CallIds {
  readonly #given = new Set<string>();

  /** Registers the ids of a history, which do not change. */
  add(messages: readonly Message[]): void {
    for (const { content } of messages) {
      // A thread wrote it: it may contain anything.
      for (const block of content) if (isRecord(block) && isCall(block)) this.#given.add(block.id);
    }
  }

  /** The response with a new id for every call whose own one is blank, or was given before; `turn` makes up the blank ones. */
  assign(response: ModelResponse, turn: number): ModelResponse {
    const { content } = response;
    if (!content.some(isCall)) return response;
    let isNew = false;
    const named = content.map((block, at) => {
      if (!isCall(block)) return block;
      const id = this.#unused(block.id.trim() === '' ? `call_${turn}_${at}` : block.id);
      this.#given.add(id);
      if (id === block.id) return block;
      isNew = true;
      const { type, name, input } = block;
      return { type, id, name, input };
    });
    return isNew ? { ...response, content: named } : response;
  }

  #unused(id: string): string {
    if (!this.#given.has(id)) return id;
    const kept = id.slice(0, maxKept);
    for (let count = 2; ; count += 1) {
      const other = `${kept}_${count}`;
      if (!this.#given.has(other)) return other;
    }
  }
}

function isCall(block: AssistantBlock | UserBlock): block is ToolUseBlock {
  return block.type === 'tool_use';
}
