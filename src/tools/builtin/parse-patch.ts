// Owns the reading of a patch of several files, in the form that coding models are trained on. Pure.

/** Lines that take the place of others. They are found by what they say: models count lines wrong. */
export type Hunk = {
  /** Lines to find first, one behind the other; the hunk is behind the last. */
  readonly anchors: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What it replaces ends the file. */
  readonly isAtEnd: boolean;
};

export type FileChange =
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      /** Where the file is afterwards; null: where it was. */
      readonly moveTo: string | null;
      readonly hunks: readonly Hunk[];
    };

/** What is wrong with a patch, and in which line. */
export type MalformedPatch = { readonly type: 'malformed'; readonly why: string };

export type ParsedPatch =
  | { readonly type: 'parsed'; readonly changes: readonly FileChange[] }
  | MalformedPatch;

const begin = '*** Begin Patch';
const end = '*** End Patch';
const endOfFile = '*** End of File';
const moveHeader = '*** Move to: ';
const headers = ['Add', 'Update', 'Delete'] as const;

/** Reads a patch from `*** Begin Patch` to `*** End Patch`; what is wrong with it names the line, from 1. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.replace(/\r\n/g, '\n').trim().split('\n');
  if (lines[0] !== begin) return wrong(1, `expected "${begin}"`);
  if (lines.at(-1) !== end) return wrong(lines.length, `expected "${end}"`);
  const changes: FileChange[] = [];
  const last = lines.length - 1;
  let at = 1;
  while (at < last) {
    const line = lines[at] ?? '';
    const header = headerIn(line);
    if (header === null) {
      return wrong(at + 1, 'expected "*** Add File: ", "*** Update File: " or "*** Delete File: "');
    }
    const next = lines.findIndex((each, index) => index > at && headerIn(each) !== null);
    const stop = next === -1 ? last : next;
    const read = changeOf(header, withoutEmptyEnd(lines.slice(at + 1, stop)), at + 2);
    if (read.type === 'malformed') return read;
    changes.push(read);
    at = stop;
  }
  return changes.length === 0 ? wrong(2, 'the patch changes no file') : { type: 'parsed', changes };
}

/** Empty lines before the next header are for the eye: an empty line of a file has a space before it there. */
function withoutEmptyEnd(body: readonly string[]): readonly string[] {
  return body.slice(0, body.findLastIndex((line) => line !== '') + 1);
}

type Header = { readonly kind: (typeof headers)[number]; readonly path: string };

function headerIn(line: string): Header | null {
  for (const kind of headers) {
    const start = `*** ${kind} File: `;
    if (line.startsWith(start)) return { kind, path: line.slice(start.length).trim() };
  }
  return null;
}

/** `first`: the number of the first line of the body. */
function changeOf(
  { kind, path }: Header,
  body: readonly string[],
  first: number,
): FileChange | MalformedPatch {
  if (path === '') return wrong(first - 1, 'the path is missing');
  switch (kind) {
    case 'Add': {
      const odd = body.findIndex((line) => !line.startsWith('+'));
      if (odd !== -1) return wrong(first + odd, 'expected "+" and a line of the new file');
      const content = body.map((line) => `${line.slice(1)}\n`).join('');
      return { type: 'add', path, content };
    }
    case 'Delete': {
      const odd = body.findIndex((line) => line.trim() !== '');
      if (odd !== -1) return wrong(first + odd, 'expected nothing below "*** Delete File: "');
      return { type: 'delete', path };
    }
    case 'Update':
      return updateOf(path, body, first);
  }
}

function updateOf(
  path: string,
  body: readonly string[],
  first: number,
): FileChange | MalformedPatch {
  const moveTo = body[0]?.startsWith(moveHeader) ? body[0].slice(moveHeader.length).trim() : null;
  if (moveTo === '') return wrong(first, 'the path is missing');
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let before: string[] = [];
  let after: string[] = [];
  const close = (isAtEnd: boolean): void => {
    if (before.length + after.length > 0) hunks.push({ anchors, before, after, isAtEnd });
    [anchors, before, after] = [[], [], []];
  };
  for (const [index, line] of body.entries()) {
    if (index === 0 && moveTo !== null) continue;
    const rest = line.slice(1);
    if (line.startsWith('@@')) {
      if (before.length + after.length > 0) close(false);
      const anchor = line.slice(2).replace(/@@$/, '').trim();
      if (anchor !== '') anchors.push(anchor);
    } else if (line === endOfFile) close(true);
    else if (line === '' || line.startsWith(' ')) {
      before.push(rest);
      after.push(rest);
    } else if (line.startsWith('-')) before.push(rest);
    else if (line.startsWith('+')) after.push(rest);
    else return wrong(first + index, 'expected " ", "-", "+" or "@@" at the start of the line');
  }
  close(false);
  if (hunks.length === 0 && moveTo === null) return wrong(first, 'expected lines to change');
  return { type: 'update', path, moveTo, hunks };
}

function wrong(line: number, what: string): MalformedPatch {
  return { type: 'malformed', why: `line ${line} of the patch: ${what}` };
}
