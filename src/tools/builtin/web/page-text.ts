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

/** The readable text; relative links are resolved against `base`. What a script would add is not there. */
export function pageText(html: string, base: string): string {
  const parts: string[] = [];
  // Letters of tags only: the lower case of others may be longer, and every position would shift.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let link: string | null = null;
  for (let at = 0; at < html.length; ) {
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
  return parts
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
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
  const resolved = URL.canParse(decoded(href), base) ? new URL(decoded(href), base) : null;
  return resolved?.protocol === 'http:' || resolved?.protocol === 'https:' ? resolved.href : null;
}

function plain(text: string): string {
  return decoded(text.replace(/\s+/g, ' '));
}

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (all, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? all;
    const code = Number(name[1]?.toLowerCase() === 'x' ? `0${name.slice(1)}` : name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
