// Owns what an agent remembers of a run for its next one: no preamble, within limits, every call answered. Pure.
import { countChars } from '../models/token-estimate.ts';
import {
  type ImageBlock,
  type Message,
  type TextBlock,
  type ToolResultBlock,
  toolCallsOf,
} from '../protocol/history.ts';
import type { MemoryLimits } from '../protocol/memory-limits.ts';
import type { WorkerSpec } from '../protocol/worker-spec.ts';
import { repair } from './history-repair.ts';
import { noPreamble, withoutPreamble } from './prompt/preamble.ts';

/** The memory after a run, from its whole conversation, every call answered; `begins` is where the run's own messages begin in it. */
export function remembered(
  { opening = noPreamble, memory = {} }: Pick<WorkerSpec, 'opening' | 'memory'>,
  messages: readonly Message[],
  begins: number,
): readonly Message[] {
  const { maxResultChars } = memory;
  const kept = withoutPreamble(opening, repair(messages), begins);
  return trim(maxResultChars === undefined ? kept : cutResults(kept, maxResultChars), memory);
}

/** What a cut result ends with. */
export const cutMark = '...[truncated]';

/** Cuts the text of each tool result to `maxChars`; a message where nothing is cut stays the same object. */
export function cutResults(messages: readonly Message[], maxChars: number): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'user') return message;
    const content = message.content.map((block) =>
      block.type === 'tool_result' ? cutResult(block, maxChars) : block,
    );
    return isSame(content, message.content) ? message : { ...message, content };
  });
}

function cutResult(result: ToolResultBlock, maxChars: number): ToolResultBlock {
  const { content } = result;
  if (typeof content === 'string') {
    const text = cut(content, maxChars);
    return text === content ? result : { ...result, content: text };
  }
  let remaining = maxChars;
  const kept: (TextBlock | ImageBlock)[] = [];
  for (const block of content) {
    if (block.type === 'image') {
      kept.push(block);
      continue;
    }
    // Blocks left out as a whole are marked once, by the cut block before them or by a mark of their own.
    if (remaining < 0) continue;
    const text = cut(block.text, remaining);
    kept.push(text === block.text ? block : { type: 'text', text });
    remaining = text === block.text && !isCut(text, remaining) ? remaining - text.length : -1;
  }
  return isSame(kept, content) ? result : { ...result, content: kept };
}

function isSame<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

function isCut(text: string, maxChars: number): boolean {
  return text.endsWith(cutMark) && text.length - cutMark.length <= maxChars;
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars || isCut(text, maxChars)) return text;
  // Half a surrogate pair is no character: some providers refuse the whole request for it.
  const last = text.charCodeAt(maxChars - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars;
  return text.slice(0, end) + cutMark;
}

/**
 * The newest messages within the limits. Calls and their results are kept or dropped together, and what is kept begins
 * with a user message: older runs go first, then older turns of the last run, whose prompt is kept before its turns.
 */
export function trim(messages: readonly Message[], limits: MemoryLimits): readonly Message[] {
  const { maxMessages = Infinity, maxChars = Infinity } = limits;
  if (maxMessages === Infinity && maxChars === Infinity) return messages;
  const units = unitsOf(messages);
  const sizes = units.map((unit) => ({ messages: unit.length, chars: countChars(unit) }));
  const fits = (indexes: readonly number[]): boolean => {
    const sum = { messages: 0, chars: 0 };
    for (const index of indexes) {
      sum.messages += sizes[index]?.messages ?? 0;
      sum.chars += sizes[index]?.chars ?? 0;
    }
    return sum.messages <= maxMessages && sum.chars <= maxChars;
  };
  const prompts = units.flatMap((unit, index) => (isPrompt(unit) ? [index] : []));
  const all = units.map((_, index) => index);
  const whole = prompts.find((index) => fits(all.slice(index)));
  const lastPrompt = prompts.at(-1);
  if (whole !== undefined) return units.slice(whole).flat();
  if (lastPrompt === undefined || !fits([lastPrompt])) return [];
  // The last run alone is too long: its prompt, and as many of its newest turns as fit.
  let from = units.length;
  while (from - 1 > lastPrompt && fits([lastPrompt, ...all.slice(from - 1)])) from -= 1;
  return [...(units[lastPrompt] ?? []), ...units.slice(from).flat()];
}

/** Messages that are kept or dropped together: calls with their results, everything else alone. */
export function unitsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const units: Message[][] = [];
  for (const message of messages) {
    const last = units.at(-1);
    const asked = last?.at(-1);
    const isAnswer = asked?.role === 'assistant' && toolCallsOf(asked.content).length > 0;
    if (isAnswer && message.role === 'user') last?.push(message);
    else units.push([message]);
  }
  return units;
}

/** True for a user message without results, which kept messages may begin with. */
export function isPrompt([first]: readonly Message[]): boolean {
  return first?.role === 'user' && first.content.every(({ type }) => type !== 'tool_result');
}
