// Owns the text of an HTML page: tags dropped, blocks on lines of their own, links named. Reads once, from front to back.

const silent: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data em font i kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  laquo: '«',
  raquo: '»',
  times: '×',
  euro: '€',
};

/** A page as it came. */
export type HtmlPage = {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Where it is from. */
  readonly url: string;
  /** Characters of its text, at most: short links on a long address unfold to far more than the page has. */
  readonly maxChars: number;
};

/** The readable text of a page, cut where it is longer than it may be. */
export function htmlText({ body, contentType, url, maxChars }: HtmlPage): string {
  const text = pageText(decoded(body, contentType), url, maxChars);
  return text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars)}\n[cut: only the first ${maxChars} characters of its text are here]`;
}

/** What was sent as text, in its charset. */
export function decoded(body: Uint8Array, contentType: string): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // An unknown charset: most pages are UTF-8, whatever they say.
    return new TextDecoder().decode(body);
  }
}

/**
 * The readable text; relative links are resolved against `base`. What a script would add is not there. Reading ends soon
 * after `maxChars` characters.
 */
export function pageText(
  html: string,
  base: string,
  maxChars: number = Number.POSITIVE_INFINITY,
): string {
  const parts = new Parts();
  // Letters of tags only: the lower case of others may be longer, and every position would shift.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let link: string | null = null;
  for (let at = 0; at < html.length && parts.length <= maxChars; ) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      parts.push(plain(html.slice(at)));
      break;
    }
    parts.push(plain(html.slice(at, open)));
    if (lower.startsWith('<!--', open)) {
      at = after(lower, '-->', open + 4);
      continue;
    }
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 32))?.[1];
    if (name === undefined && !/^<[!?/]/.test(lower.slice(open, open + 2))) {
      parts.push('<');
      at = open + 1;
      continue;
    }
    const close = after(html, '>', open);
    const isEnd = lower[open + 1] === '/';
    at = close;
    if (name === undefined) continue;
    if (silent.has(name)) {
      if (!isEnd) at = after(lower, '>', after(lower, `</${name}`, close) - 1);
    } else if (name === 'a') {
      if (isEnd && link !== null) parts.push(` <${link}>`);
      link = isEnd ? null : linkOf(html.slice(open, close), base);
    } else if (name === 'li' && !isEnd) parts.push('\n- ');
    else if (!inline.has(name)) parts.push('\n');
  }
  return parts.text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Pieces of a text, and how long they are together. */
class Parts {
  readonly #all: string[] = [];
  length = 0;

  get text(): string {
    return this.#all.join('');
  }

  push(part: string): void {
    this.#all.push(part);
    this.length += part.length;
  }
}

/** The position behind the next `text`, or the end. */
function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
}

function linkOf(tag: string, base: string): string | null {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  const href = found?.[1] ?? found?.[2] ?? found?.[3];
  if (href === undefined || href.startsWith('#')) return null;
  const resolved = URL.canParse(plainText(href), base) ? new URL(plainText(href), base) : null;
  return resolved?.protocol === 'http:' || resolved?.protocol === 'https:' ? resolved.href : null;
}

function plain(text: string): string {
  return plainText(text.replace(/\s+/g, ' '));
}

function plainText(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (all, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? all;
    const code = Number(name[1]?.toLowerCase() === 'x' ? `0${name.slice(1)}` : name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
