// Owns the one-line reason of a body that is no answer: what kind it is and the reason it gives, without keys. Pure.
import { isRecord } from '../../base/is-record.ts';
import { maskKeys } from '../../base/secret-text.ts';

const maxReason = 300;

/** Such as `a page of HTML where a stream of events was expected: Bad gateway`. */
export function reasonIn(text: string, type = ''): string {
  const { kind, reason } = read(text.trim(), type);
  const where = `${kind} where a stream of events was expected`;
  return reason === '' ? where : `${where}: ${oneLineOf(reason)}`;
}

/** The reason in the text of a body that came with an error's status, in one line. */
export function reasonOfBody(text: string): string {
  return oneLineOf(read(text.trim(), '').reason);
}

/** One line of bounded length, keys taken out. */
function oneLineOf(text: string): string {
  const line = maskKeys(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxReason ? line : `${line.slice(0, maxReason)}…`;
}

function read(text: string, type: string): { readonly kind: string; readonly reason: string } {
  if (/^[[{"]/.test(text) || /json/i.test(type)) {
    const message = messageIn(parsed(text));
    return message === null
      ? { kind: 'JSON', reason: text }
      : { kind: 'an error in JSON', reason: message };
  }
  if (text.startsWith('<')) return { kind: 'a page of HTML', reason: pageText(text) };
  return { kind: type === '' ? 'a text' : (type.split(';')[0] ?? type), reason: text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut off or no JSON after all: it is quoted as it is.
    return null;
  }
}

/** The fields in which services describe a fault, from the most to the least telling. */
const telling = ['error', 'errors', 'message', 'detail', 'error_description', 'title', 'reason'];
const deepest = 4;

/** What a parsed body gives as its reason; null when it gives none. */
export function messageIn(body: unknown, depth = 0): string | null {
  if (typeof body === 'string') return depth > 0 && body.trim() !== '' ? body : null;
  if (depth > deepest) return null;
  if (Array.isArray(body)) return messageIn(body[0], depth + 1);
  if (!isRecord(body)) return null;
  for (const name of telling) {
    const message = messageIn(body[name], depth + 1);
    if (message !== null) return message;
  }
  const { type, code } = body;
  if (depth === 0) return null;
  const named = [type, code].find((each) => typeof each === 'string' || typeof each === 'number');
  return named === undefined ? null : String(named);
}

const maxPage = 20_000;

/** Its title, else its text without tags. */
function pageText(page: string): string {
  const start = page.slice(0, maxPage);
  const [, title = ''] = /<title[^>]{0,200}>([^<]{1,1000})/i.exec(start) ?? [];
  if (title.trim() !== '') return title;
  return start
    .replace(/<(script|style)\b[^<]*(?:<(?!\/\1)[^<]*)*/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
}
