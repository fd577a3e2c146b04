// Owns the text for the first difference between a recorded request and an actual one. Pure.
import type { Message } from '../protocol/history.ts';
import type { CassetteRequest } from './cassette-request.ts';

/** What differs first, in the order in which a model reads it: system prompt, tools, settings, messages. */
export function differenceOf(recorded: CassetteRequest, asked: CassetteRequest): string {
  return (
    textDifference('the system prompt', recorded.system, asked.system) ??
    toolDifference(recorded, asked) ??
    valueDifference('the settings', recorded.settings ?? {}, asked.settings ?? {}) ??
    messageDifference(recorded.messages, asked.messages) ??
    'nothing that the cassette shows: its line was edited after it was recorded'
  );
}

function toolDifference(recorded: CassetteRequest, asked: CassetteRequest): string | null {
  const before = recorded.tools.map(({ name }) => name);
  const now = asked.tools.map(({ name }) => name);
  const gone = before.filter((name) => !now.includes(name));
  const fresh = now.filter((name) => !before.includes(name));
  if (gone.length > 0 || fresh.length > 0) {
    const parts = [
      ...(gone.length > 0 ? [`without ${gone.join(', ')}`] : []),
      ...(fresh.length > 0 ? [`with ${fresh.join(', ')} added`] : []),
    ];
    return `the tools: asked ${parts.join(' and ')}`;
  }
  for (const [index, tool] of recorded.tools.entries()) {
    const difference = valueDifference(`the tool ${tool.name}`, tool, asked.tools[index]);
    if (difference !== null) return difference;
  }
  return null;
}

function messageDifference(recorded: readonly Message[], asked: readonly Message[]): string | null {
  for (const [index, message] of recorded.entries()) {
    const other = asked[index];
    if (other === undefined) break;
    const where = `message ${index + 1}`;
    if (message.role !== other.role) {
      return `${where}: recorded of the ${message.role}, asked of the ${other.role}`;
    }
    const difference = blockDifference(where, message, other);
    if (difference !== null) return difference;
  }
  if (recorded.length === asked.length) return null;
  return `the messages: ${recorded.length} recorded, ${asked.length} asked`;
}

function blockDifference(where: string, recorded: Message, asked: Message): string | null {
  for (const [index, block] of recorded.content.entries()) {
    const other = asked.content[index];
    if (other === undefined) break;
    const what = `${where}, its ${block.type}`;
    const difference =
      block.type === 'text' && other.type === 'text'
        ? textDifference(what, block.text, other.text)
        : valueDifference(what, block, other);
    if (difference !== null) return difference;
  }
  const counts = [recorded.content.length, asked.content.length] as const;
  return counts[0] === counts[1]
    ? null
    : `${where}: ${counts[0]} blocks recorded, ${counts[1]} asked`;
}

function valueDifference(what: string, recorded: unknown, asked: unknown): string | null {
  return textDifference(what, JSON.stringify(recorded) ?? '', JSON.stringify(asked) ?? '');
}

const charsBefore = 20;
const charsShown = 60;

/** Both texts around the first character that differs. */
function textDifference(what: string, recorded: string, asked: string): string | null {
  if (recorded === asked) return null;
  let at = 0;
  while (at < recorded.length && recorded[at] === asked[at]) at += 1;
  const from = Math.max(0, at - charsBefore);
  const around = (text: string): string => {
    const end = from + charsShown;
    return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
  };
  return `${what}: recorded ${JSON.stringify(around(recorded))}, asked ${JSON.stringify(around(asked))}`;
}
