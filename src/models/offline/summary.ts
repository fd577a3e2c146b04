// Owns the text of the offline model's answer: quotations of the tool results, and what failed. Calls nothing.
import { isRecord } from '../../base/is-record.ts';
import { clip, digest } from './digest.ts';
import type { RunSoFar, ToolCallSoFar } from './run-so-far.ts';

const maxNames = 12;
const maxPromises = 4;
const maxHeadings = 8;
const maxEntries = 12;

/** The answer of a run: one paragraph per tool result, or quotations of the prompt when no tool was called. */
export function writeSummary(run: RunSoFar, unread: readonly string[], hasTools: boolean): string {
  if (run.calls.length === 0) return fromPrompt(run.goal, hasTools);
  const left = unread.length === 0 ? [] : [`Not read: ${some(unread, maxNames, ', ')}`];
  return [...run.calls.map(describeCall), ...left].join('\n\n');
}

function fromPrompt(goal: string, hasTools: boolean): string {
  const quoted = clip(goal);
  if (quoted === '') return 'The prompt is empty, and no tool was called.';
  const why = hasTools ? 'The prompt asks for none of the tools' : 'No tool was at hand';
  return `${why}, so this only quotes the prompt: “${quoted}”`;
}

function describeCall(call: ToolCallSoFar): string {
  if (call.isError) return `${asked(call)} failed: ${clip(call.text)}`;
  switch (call.name) {
    case 'read':
      return describeFile(call);
    case 'list':
      return describeListing(call);
    case 'grep':
      return describeMatches(call);
    default:
      return `${asked(call)} returned: ${clip(call.text)}`;
  }
}

/** The call in a line: a file tool with its path, any other one with its arguments. */
function asked({ name, path, input }: ToolCallSoFar): string {
  if (['read', 'list', 'grep'].includes(name)) return `${name} ${path}`;
  const given = isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
  return `${name} ${clip(given)}`.trimEnd();
}

function describeFile({ path, text, cut }: ToolCallSoFar): string {
  const { kind, lines, opening, headings, exports } = digest(path, text);
  const counted = lines === 1 ? '1 line' : `${lines} lines`;
  const size = cut === null ? counted : `first ${counted} read, ${clip(cut, 120)}`;
  const sentences = [`${path} (${size})`];
  if (opening !== '') sentences.push(`Opens with: “${opening}”`);
  if (headings.length > 0) {
    sentences.push(`Headings (${headings.length}): ${some(headings, maxHeadings, '; ')}`);
  }
  if (kind === 'code') {
    const names = exports.map(({ name }) => name);
    sentences.push(
      names.length === 0
        ? 'Exports nothing.'
        : `Exports (${names.length}): ${some(names, maxNames, ', ')}`,
    );
    const promised = exports.filter(({ promise }) => promise !== '').slice(0, maxPromises);
    for (const { name, promise } of promised) sentences.push(`- ${name}: ${promise}`);
  }
  return sentences.join('\n');
}

function describeListing({ path, text }: ToolCallSoFar): string {
  const entries = filledLines(text);
  if (entries.length === 0) return `${path} lists nothing.`;
  return `${path} lists ${entries.length} entries: ${some(entries, maxEntries, ', ')}`;
}

function describeMatches({ path, text, cut }: ToolCallSoFar): string {
  const matches = filledLines(text);
  if (matches.length === 0) return `No further headings or exports were found in ${path}.`;
  const more = cut === null ? '' : ' at least';
  const shown = matches.map((line) => clip(line, 100));
  return `Structure of ${path},${more} ${matches.length} lines: ${some(shown, maxEntries, '; ')}`;
}

function filledLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function some(items: readonly string[], max: number, separator: string): string {
  const shown = items.slice(0, max).join(separator);
  return items.length <= max ? shown : `${shown} and ${items.length - max} more`;
}
