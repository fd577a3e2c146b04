// Owns what a conversation begins with: the environment first, then the memory, then examples (B14, A56). Pure.
import { TroupeError } from '../../base/failures.ts';
import type { AssistantBlock, Message, UserBlock } from '../../protocol/history.ts';
import type { Preamble } from '../../protocol/preamble.ts';
import { pairingFault } from '../history-repair.ts';

/** A message as others store it: of any role, its text perhaps bare. */
export type StoredMessage = {
  /** Who it is from. */
  readonly role: 'user' | 'assistant' | 'system';
  /** A text, or the blocks of history. */
  readonly content: string | readonly (UserBlock | AssistantBlock)[];
};

export const noPreamble: Preamble = { preamble: [], examples: [] };

/**
 * The preamble of a definition's runs. System messages are left out: the runtime provides the system prompt.
 * Throws `invalid_agent` for examples in which calls and results do not pair.
 */
export function preambleOf(parts: {
  readonly environment?: string | undefined;
  readonly examples?: readonly StoredMessage[] | undefined;
}): Preamble {
  const { environment = '', examples } = parts;
  // Providers refuse a blank text.
  const hasEnvironment = environment.trim() !== '';
  if (!hasEnvironment && examples === undefined) return noPreamble;
  const preamble: readonly Message[] = !hasEnvironment
    ? []
    : [
        { role: 'user', content: [{ type: 'text', text: environment }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Understood.' }] },
      ];
  const history = fromStored(examples ?? []);
  const fault = pairingFault(history);
  if (fault !== null) throw new TroupeError('invalid_agent', `initialMessages: ${fault}`);
  return { preamble, examples: history };
}

/** Stored messages in the form of the history, without system messages. */
export function fromStored(stored: readonly StoredMessage[]): readonly Message[] {
  return stored.flatMap(({ role, content }): readonly Message[] => {
    if (role === 'system') return [];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    // The blocks of each role were checked where the messages came in.
    return [{ role, content: blocks } as Message];
  });
}

/** The conversation a run begins with, and where in it the run's own messages begin. */
export function openConversation(
  { preamble, examples }: Preamble,
  memory: readonly Message[],
  prompt: readonly Message[],
): { readonly messages: readonly Message[]; readonly begins: number } {
  return {
    messages: [...preamble, ...memory, ...examples, ...prompt],
    begins: preamble.length + memory.length + examples.length,
  };
}

/** The part of a conversation that is memory: all but its preamble. */
export function withoutPreamble(
  { preamble, examples }: Preamble,
  messages: readonly Message[],
  begins: number,
): readonly Message[] {
  if (preamble.length === 0 && examples.length === 0) return messages;
  return [...messages.slice(preamble.length, begins - examples.length), ...messages.slice(begins)];
}
