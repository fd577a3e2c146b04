// Owns the offline model's description of a text: opening, headings, exports and their promises, all quoted from it.

/** What was found in one file; every string is a quotation. */
export type Digest = {
  readonly kind: 'code' | 'markdown' | 'text';
  readonly lines: number;
  /** The first comment, paragraph or line. */
  readonly opening: string;
  readonly headings: readonly string[];
  readonly exports: readonly ExportedName[];
};

type ExportedName = {
  readonly name: string;
  /** The first sentence of its doc comment, or nothing. */
  readonly promise: string;
};

const maxQuote = 280;
const codeFile = /\.(?:[cm]?[jt]sx?)$/i;
const markdownFile = /\.(?:md|mdx|markdown)$/i;

/** Describes a text by quoting it. Reads it a few times, never guesses. */
export function digest(path: string, text: string): Digest {
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  if (markdownFile.test(path)) {
    return { kind: 'markdown', lines, ...markdownParts(text), exports: [] };
  }
  if (codeFile.test(path)) {
    return {
      kind: 'code',
      lines,
      opening: openingComment(text),
      headings: [],
      exports: exportsOf(text),
    };
  }
  return {
    kind: 'text',
    lines,
    opening: firstParagraph(text.split('\n')),
    headings: [],
    exports: [],
  };
}

function markdownParts(text: string): Pick<Digest, 'opening' | 'headings'> {
  const headings: string[] = [];
  const prose: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || fence === mark)) {
      fence = fence === null ? mark : null;
      continue;
    }
    if (fence !== null) continue;
    const heading = headingOf(line);
    if (heading !== undefined) headings.push(heading);
    prose.push(heading === undefined ? line : '');
  }
  return { opening: firstParagraph(prose), headings };
}

/** The text of a heading, without closing marks; undefined for any other line. */
function headingOf(line: string): string | undefined {
  const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
  if (heading === undefined) return undefined;
  let end = heading.trimEnd().length;
  while (heading[end - 1] === '#') end -= 1;
  return heading.slice(0, end).trimEnd();
}

function firstParagraph(lines: readonly string[]): string {
  const start = lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line));
  if (start === -1) return '';
  const end = lines.findIndex((line, index) => index > start && line.trim() === '');
  return clip(lines.slice(start, end === -1 ? undefined : end).join(' '));
}

function openingComment(text: string): string {
  const body = text.replace(/^#!.*\n/, '').trimStart();
  if (body.startsWith('/*')) {
    const end = body.indexOf('*/');
    return clip(stripStars(body.slice(2, end === -1 ? undefined : end)));
  }
  const comment: string[] = [];
  for (const line of body.split('\n')) {
    if (!line.startsWith('//')) break;
    comment.push(line.replace(/^\/\/+\s?/, ''));
  }
  return clip(comment.join(' '));
}

const declaration =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|type|interface|enum|namespace)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
const exportList = /^export\s+(?:type\s+)?\{([^}]*)\}/;

function exportsOf(text: string): readonly ExportedName[] {
  const found = new Map<string, string>();
  // Only a declaration at the start of a line is an export of the module.
  for (const match of text.matchAll(/^export\b/gm)) {
    const rest = text.slice(match.index, match.index + 2_000);
    const declared = declaration.exec(rest)?.[1];
    if (declared !== undefined) {
      if (!found.has(declared)) found.set(declared, promiseBefore(text, match.index));
      continue;
    }
    const listed = exportList.exec(rest)?.[1];
    for (const name of listedNames(listed ?? '')) if (!found.has(name)) found.set(name, '');
    if (/^export\s+default\b/.test(rest) && !found.has('default')) {
      found.set('default', promiseBefore(text, match.index));
    }
  }
  return [...found].map(([name, promise]) => ({ name, promise }));
}

function listedNames(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .map((entry) => entry.split(/\s+as\s+/).at(-1) ?? '')
    .filter((name) => name !== '');
}

/** The first sentence of the doc comment that ends right before `index`. */
function promiseBefore(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - 4_000), index).trimEnd();
  if (!before.endsWith('*/')) return '';
  const start = before.lastIndexOf('/**');
  if (start === -1) return '';
  const comment = stripStars(before.slice(start + 3, -2)).trim();
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(comment)?.[0] ?? comment;
  return clip(sentence);
}

function stripStars(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*+\s?/, ''))
    .join('\n');
}

/** One line, cut to a quotable length. */
export function clip(text: string, maxChars: number = maxQuote): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).trimEnd()}…`;
}

const knownExtensions =
  /\.(?:[cm]?[jt]sx?|mdx?|markdown|txt|rst|json[lc5]?|ya?ml|toml|ini|cfg|conf|csv|tsv|xml|html?|s?css|less|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|sql|lua|ex|exs|erl|hs|ml|vue|svelte|lock|log|proto|graphql|gleam)$/i;
const pathToken =
  /(?<![\w/:.@*{+-])(?:~|\.{1,2})?\/?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}\b(?![/*(])/g;
const quotedToken = /[`"']([^`"'\n*{}]{1,200}\.[A-Za-z]\w{0,9})[`"']/g;
const bareName = /(?<![\w/.-])(?:README|LICENSE|CHANGELOG|Makefile|Dockerfile)(?![\w/.-])/g;

/** The file paths a text names, in order, without repeats. URLs, globs and versions are none. */
export function findPaths(text: string): readonly string[] {
  const found: { readonly at: number; readonly path: string }[] = [];
  for (const match of text.matchAll(quotedToken)) {
    const path = match[1] ?? '';
    if (isPath(path)) found.push({ at: match.index, path });
  }
  const rest = text.replace(quotedToken, (quoted) => ' '.repeat(quoted.length));
  for (const match of rest.matchAll(pathToken)) {
    if (isPath(match[0])) found.push({ at: match.index, path: match[0] });
  }
  for (const match of rest.matchAll(bareName)) found.push({ at: match.index, path: match[0] });
  found.sort((a, b) => a.at - b.at);
  return [...new Set(found.map(({ path }) => path))];
}

function isPath(path: string): boolean {
  if (path.includes('://') || /^node\.js$/i.test(path)) return false;
  return path.includes('/') || knownExtensions.test(path);
}
