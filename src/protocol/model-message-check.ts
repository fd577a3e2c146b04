// Owns the check of what an agent's thread sends to the gateway. By hand, not zod: it is on the path of every turn.
import { isRecord } from '../base/is-record.ts';
import type { ToGateway } from './model-messages.ts';

/** The fields of a message; its type is the compiler's proof that none is missing. */
type Fields<Type extends ToGateway['type']> = Readonly<
  Record<keyof Extract<ToGateway, { readonly type: Type }>, true>
>;

const requestFields: Fields<'model_request'> = {
  type: true,
  token: true,
  callId: true,
  turn: true,
  from: true,
  messages: true,
  toolChoice: true,
};
const callFields: Fields<'model_abort' | 'model_detach'> = {
  type: true,
  token: true,
  callId: true,
};

/**
 * What a thread sent, or null when it is no message of the gateway. A thread runs tools and is not trusted: a field too
 * many, such as a prompt or tools of its own, makes it none. The blocks inside are the business of the model, which
 * refuses what it cannot read.
 */
export function readToGateway(value: unknown): ToGateway | null {
  if (!isRecord(value) || typeof value['token'] !== 'string' || !isIndex(value['callId'])) {
    return null;
  }
  switch (value['type']) {
    case 'model_abort':
    case 'model_detach':
      // Its fields were just checked.
      return hasOnly(value, callFields) ? (value as ToGateway) : null;
    case 'model_request':
      // Every field was checked down to the blocks.
      return hasOnly(value, requestFields) && isRequest(value) ? (value as ToGateway) : null;
    default:
      return null;
  }
}

function hasOnly(value: object, fields: object): boolean {
  for (const name in value) if (!Object.hasOwn(fields, name)) return false;
  return true;
}

/** Messages of one request. */
const maxMessages = 100_000;

function isRequest(value: Readonly<Record<string, unknown>>): boolean {
  const { turn, from, messages, toolChoice } = value;
  if (!isIndex(turn) || !isIndex(from)) return false;
  if (toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none') return false;
  if (!Array.isArray(messages) || messages.length > maxMessages) return false;
  return messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value['content'])) return false;
  return value['role'] === 'user' || value['role'] === 'assistant';
}

function isIndex(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
