// Owns what a conversation is opened with: the environment in front, what is replayed, then examples (B14, A56). Pure.
import { TroupeError } from '../../base/failures.ts';
import type { AssistantBlock, Message, UserBlock } from '../../models/model.ts';
import { pairingFault } from '../history-repair.ts';

/** A message as others store it: of any role, its text perhaps bare. */
export type StoredMessage = {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly (UserBlock | AssistantBlock)[];
};

/** What stands around an agent's memory in each of its runs; it is no part of the memory. */
export type Preamble = {
  readonly preamble: readonly Message[];
  readonly examples: readonly Message[];
};

export const noPreamble: Preamble = { preamble: [], examples: [] };

/**
 * The opening of a definition's runs. Messages of the system are left out: the system prompt is the runtime's.
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

/** Stored messages as history holds them, without those of the system. */
export function fromStored(stored: readonly StoredMessage[]): readonly Message[] {
  return stored.flatMap(({ role, content }): readonly Message[] => {
    if (role === 'system') return [];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    // Which blocks a role may hold was checked where the messages came in.
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

/** What of a conversation is memory: all but its opening. */
export function withoutPreamble(
  { preamble, examples }: Preamble,
  messages: readonly Message[],
  begins: number,
): readonly Message[] {
  if (preamble.length === 0 && examples.length === 0) return messages;
  return [...messages.slice(preamble.length, begins - examples.length), ...messages.slice(begins)];
}
