// Owns which answers have nothing in them. Pure; the answer may be anything that a model object of the program returned.
import { isRecord } from '../base/is-record.ts';

/** Stop reasons that say why there is nothing. */
const explained: readonly unknown[] = [
  'refusal',
  'max_tokens',
  'pause_turn',
  'model_context_window_exceeded',
];

/** True for an answer that ended by itself without text, thoughts and calls: asking again often helps. */
export function isEmptyAnswer(answer: unknown): boolean {
  if (!isRecord(answer) || explained.includes(answer['stopReason'])) return false;
  const { content } = answer;
  return Array.isArray(content) && content.every(isBlankText);
}

function isBlankText(block: unknown): boolean {
  if (!isRecord(block) || block['type'] !== 'text') return false;
  const { text } = block;
  return typeof text === 'string' && text.trim() === '';
}
