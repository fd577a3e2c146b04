// Owns how the offline model reads a history: the goal of the current run and what its tools returned. Decides nothing.
import type { Message, ToolResultBlock, ToolUseBlock } from '../../protocol/history.ts';

/** One tool call of the run and its answer. */
export type ToolCallSoFar = {
  readonly name: string;
  readonly input: unknown;
  readonly path: string;
  readonly text: string;
  /** The tool's own note that it returned only a part, or null. */
  readonly cut: string | null;
  readonly isError: boolean;
};

export type RunSoFar = {
  readonly goal: string;
  /** Answers the model gave in this run. */
  readonly turns: number;
  readonly calls: readonly ToolCallSoFar[];
};

/** How a run is reminded of its required outputs: no goal of its own. */
const reminder =
  /^(?:You are not done\. Call |Your answer counts only when you give it by calling )/;

/** Reads the run that the history ends with: it starts at the last user message that is neither tool results nor a reminder. */
export function readRun(messages: readonly Message[]): RunSoFar {
  const start = messages.findLastIndex(
    (message) =>
      message.role === 'user' &&
      message.content.every((block) => block.type !== 'tool_result') &&
      !reminder.test(textOf(message)),
  );
  const goal = textOf(messages[start]);
  const uses = new Map<string, ToolUseBlock>();
  const calls: ToolCallSoFar[] = [];
  let turns = 0;
  for (const message of messages.slice(start + 1)) {
    if (message.role === 'assistant') turns += 1;
    for (const block of message.content) {
      if (block.type === 'tool_use') uses.set(block.id, block);
      if (block.type !== 'tool_result') continue;
      const use = uses.get(block.tool_use_id);
      if (use !== undefined) calls.push(readCall(use, block));
    }
  }
  return { goal, turns, calls };
}

function textOf(message: Message | undefined): string {
  const texts: string[] = [];
  for (const block of message?.content ?? []) if (block.type === 'text') texts.push(block.text);
  return texts.join('\n');
}

function readCall(use: ToolUseBlock, result: ToolResultBlock): ToolCallSoFar {
  const { name, input } = use;
  const whole =
    typeof result.content === 'string'
      ? result.content
      : result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const { text, cut } = splitNote(stripLineNumbers(whole));
  const shown = saysNothing.test(text.trim()) ? '' : text;
  return { name, input, path: pathOf(input), text: shown, cut, isError: result.is_error === true };
}

function pathOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || !('path' in input)) return '.';
  return typeof input.path === 'string' ? input.path : '.';
}

/** How tools report an empty result. */
const saysNothing = /^\((?:empty (?:file|folder)|no output)\)$|^no match(?:es)?\b[^\n]*$/;

const numbered = /^\s*\d+(?:\t|→|\s*\|\s?|: )/;

/** Some read tools number their lines; a digest is of the file, not of the numbers. */
function stripLineNumbers(text: string): string {
  const lines = text.split('\n');
  const filled = lines.filter((line) => line.trim() !== '');
  const hits = filled.filter((line) => numbered.test(line)).length;
  // The note of a cut result carries no number.
  if (filled.length === 0 || hits < filled.length - 1 || hits === 0) return text;
  return lines.map((line) => line.replace(numbered, '')).join('\n');
}

const note = /^(?:\[.*\]|\(.*\)|…|\.\.\.)/;
const saysCut =
  /truncat|\bcut\b|omitted|more (?:lines|bytes|characters)|of \d+ (?:lines|bytes)|offset/i;

/** Splits off the last line when it is the tool's note that something was left out. */
function splitNote(text: string): { readonly text: string; readonly cut: string | null } {
  const whole = text.trimEnd();
  const start = whole.lastIndexOf('\n') + 1;
  const last = whole.slice(start).trim();
  if (start === 0 || !note.test(last) || !saysCut.test(last)) return { text, cut: null };
  return { text: whole.slice(0, start - 1), cut: last };
}
