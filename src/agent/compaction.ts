// Owns how a run shortens a conversation that fills its model's window: what is cut, left out and summarised. Pure.
import { countChars } from '../models/token-estimate.ts';
import type { Message } from '../protocol/history.ts';
import type { Preamble } from '../protocol/preamble.ts';
import type { Shortening, Span } from '../protocol/shortening.ts';
import { todosLeftOut } from './kept-todos.ts';
import { cutResults, isPrompt, unitsOf } from './memory-window.ts';
import { noPreamble } from './prompt/preamble.ts';

/** What a run's model is asked with, and where in it the run's own messages begin. */
export type Conversation = { readonly messages: readonly Message[]; readonly begins: number };

/** Results are cut before anything is left out, no more than is needed. */
const resultChars = [20_000, 5_000, 1_000] as const;
const minResultChars = 1_000;

/**
 * How to bring a conversation down to half its characters, since no provider reports the size of a window. Long results
 * of tools are cut first; then earlier runs are left out, oldest first; then the older turns of this run. Its preamble,
 * its prompt and its newest turn are kept, and calls keep their results. Null when nothing is left to shorten. With
 * `isCut` the last message is an answer that the full window cut off: it is left out, and asked for again.
 */
export function shorten(
  conversation: Conversation,
  { opening = noPreamble, isCut }: { readonly opening?: Preamble | undefined; isCut: boolean },
): Shortening | null {
  const { messages, begins } = conversation;
  const end = isCut ? messages.length - 1 : messages.length;
  const asked = messages.slice(0, end);
  const cutOff = isCut ? [{ from: end, to: end + 1 }] : [];
  const answered = asked.findIndex(({ role }, at) => at >= begins && role === 'assistant');
  const at = answered === -1 ? end : answered;
  const before = countChars(asked);
  const memory = { from: opening.preamble.length, to: begins - opening.examples.length };
  const cuts = [...runEnds(asked, memory), ...turnEnds(asked, { from: at, to: end })];
  const steps = [
    ...resultChars.map((maxResultChars) => ({ maxResultChars, spans: [] as readonly Span[] })),
    ...cuts.map((to) => ({
      maxResultChars: minResultChars,
      spans: spansUpTo(to, memory, at),
    })),
  ];
  let best: Shortening | null = null;
  for (const { maxResultChars, spans } of steps) {
    const leftOut = [...spans, ...cutOff];
    const shortening = {
      maxResultChars,
      leftOut,
      at,
      summary: saying(asked, spans, maxResultChars),
    };
    const chars = countChars(shortened(conversation, shortening).messages);
    if (chars < before) best = shortening;
    if (chars <= before / 2) break;
  }
  return best;
}

/** The conversation after the shortening; defined for every span, also one that is not there. */
export function shortened(
  { messages, begins }: Conversation,
  { maxResultChars, leftOut, at, summary }: Shortening,
): Conversation {
  const isKept = (place: number): boolean =>
    leftOut.every(({ from, to }) => place < from || place >= to);
  const kept = (from: number, to?: number): readonly Message[] =>
    messages.slice(from, to).filter((_, index) => isKept(from + index));
  const whole = [...kept(0, at), summary, ...kept(at)];
  return { messages: cutResults(whole, maxResultChars), begins: kept(0, begins).length };
}

/** How many messages it leaves out. */
export function countLeftOut({ leftOut }: Pick<Shortening, 'leftOut'>): number {
  return leftOut.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Where each of the earlier runs ends: what is kept of them begins with a user message. */
function runEnds(messages: readonly Message[], { from, to }: Span): readonly number[] {
  const ends: number[] = [];
  for (let place = from + 1; place < to; place += 1) {
    const message = messages[place];
    if (message !== undefined && isPrompt([message])) ends.push(place);
  }
  return to > from ? [...ends, to] : ends;
}

/** Where each turn ends but the newest. */
function turnEnds(messages: readonly Message[], { from, to }: Span): readonly number[] {
  let place = from;
  const ends = unitsOf(messages.slice(from, to)).map((unit) => {
    place += unit.length;
    return place;
  });
  return ends.slice(0, -1);
}

/** What lies before a place, of earlier runs and of this run's turns. */
function spansUpTo(to: number, memory: Span, at: number): readonly Span[] {
  if (to <= memory.to) return [{ from: memory.from, to }];
  const turns = { from: at, to };
  return memory.to > memory.from ? [memory, turns] : [turns];
}

const beginning = 'The conversation had outgrown what you can read at once.';

/** True for the message that informs a model of a shortening. */
export function saysShortened({ role, content: [block] }: Message): boolean {
  return role === 'user' && block?.type === 'text' && block.text.startsWith(beginning);
}

function saying(
  messages: readonly Message[],
  leftOut: readonly Span[],
  maxResultChars: number,
): Message {
  const count = countLeftOut({ leftOut });
  const left = count === 0 ? 'Results' : `${count} older messages were left out, and results`;
  const text =
    `${beginning} ${left} of tools were cut to ` +
    `${maxResultChars} characters. Go on with what is left; look again where something is missing.`;
  const todos = todosLeftOut(messages, leftOut);
  const kept = todos === null ? '' : `\nYour todos, as you wrote them last:\n${todos}`;
  return { role: 'user', content: [{ type: 'text', text: `${text}${kept}` }] };
}
