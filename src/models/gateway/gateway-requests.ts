// Owns the check of what an agent's thread sends to the gateway. By hand, not zod: it is on the path of every turn.
import { isRecord } from '../../base/is-record.ts';
import type { ToGateway } from '../model.ts';

/**
 * What a thread sent, or null when it is no message of the gateway. A thread runs tools and is not trusted: the frame is
 * checked here, the blocks inside are the business of the model, which refuses what it cannot read.
 */
export function readToGateway(value: unknown): ToGateway | null {
  if (!isRecord(value) || typeof value['token'] !== 'string' || !isIndex(value['callId'])) {
    return null;
  }
  switch (value['type']) {
    case 'model_abort':
      // Its fields were just checked.
      return value as ToGateway;
    case 'model_request':
      // Every field was checked down to the blocks.
      return isRequest(value) ? (value as ToGateway) : null;
    default:
      return null;
  }
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
