// Owns the front matter of Markdown files: splitting it off, reading its YAML, and one second try. Knows no field of it.
import type { Document, Range } from 'yaml';
import { toFailure } from '../../base/failures.ts';
import { namesOf } from '../../base/package-names.ts';

/** Bytes of the front matter of one file: a name, a description and some lists take a few hundred. */
const maxHeadBytes = 65_536;
/** Each alias is looked up in the whole document. */
const maxAliases = 100;
/** Maximum number of the parser's warnings that are reported for one file. */
const maxRemarks = 20;

/** The front matter of a file, field by field, and the text below it. */
export type FrontMatter =
  | {
      readonly status: 'read';
      readonly fields: ReadonlyMap<string, unknown>;
      /** Without the blank lines around it; lines end in `\n` whatever the file's own do. */
      readonly body: string;
      /** What was odd and read all the same. */
      readonly remarks: readonly Remark[];
    }
  | { readonly status: 'unreadable'; readonly message: string };

type Remark = { readonly field?: string; readonly message: string };

type Parsed = {
  readonly fields: ReadonlyMap<string, unknown>;
  readonly remarks: readonly Remark[];
};

/**
 * Reads a file's text. YAML that fails because a value contains an unquoted colon is read again with that value quoted,
 * with a remark. Front matter of more than 64 KiB is unreadable. Never rejects because of a text's contents.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const parts = split(text);
  if (typeof parts === 'string') return { status: 'unreadable', message: parts };
  const first = await parseYaml(parts.head.join('\n'));
  if (typeof first !== 'string') return { status: 'read', ...first, body: parts.body };
  const { lines, quoted } = quoteColons(parts.head);
  const second = quoted.length === 0 ? first : await parseYaml(lines.join('\n'));
  // The first error is about what the author wrote.
  if (typeof second === 'string') return { status: 'unreadable', message: first };
  const remarks = quoted.map((field) => ({
    field,
    message: 'the value holds a colon and was read as if it were quoted; quote it',
  }));
  return {
    status: 'read',
    fields: second.fields,
    body: parts.body,
    remarks: [...remarks, ...second.remarks],
  };
}

function split(text: string): { head: readonly string[]; body: string } | string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') {
    return 'there is no front matter: the first line must be "---"';
  }
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end === -1) return 'the front matter has no end: a line "---" must close it';
  const head = lines.slice(1, end);
  const bytes = head.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  if (bytes > maxHeadBytes) {
    return `the front matter has ${bytes} bytes, more than ${maxHeadBytes}`;
  }
  return {
    head,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

/** The fields, or what is wrong with them. */
async function parseYaml(source: string): Promise<Parsed | string> {
  // Loaded at need: a service that defines its agents in code does not carry a YAML parser.
  const { LineCounter, parseDocument } = namesOf(await import('yaml'));
  const lineCounter = new LineCounter();
  // The parser's own check of keys compares each with each, and its excerpts are made for every warning: both are ours.
  const options = { logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const;
  const document = parseDocument(source, { ...options, lineCounter });
  // Lines are counted in the file, whose first is the marker.
  const placed = ({ message, pos: [at] }: Placed): string => {
    return `${headline(message)} at line ${lineCounter.linePos(at).line + 1}`;
  };
  const [error] = document.errors;
  if (error !== undefined) return `the YAML cannot be read: ${placed(error)}`;
  const fault = await faultIn(document);
  if (fault !== null) return `the YAML cannot be read: ${placed(fault)}`;
  const value = plainOf(() => document.toJS());
  if (typeof value === 'string') return value;
  if (value.of === null) return { fields: new Map(), remarks: [] };
  if (typeof value.of !== 'object' || Array.isArray(value.of)) {
    return 'the front matter is no list of fields such as "name: reviewer"';
  }
  return {
    fields: new Map(Object.entries(value.of)),
    remarks: document.warnings.slice(0, maxRemarks).map((warning) => ({
      message: placed(warning),
    })),
  };
}

type Placed = { readonly message: string; readonly pos: readonly [number, number] };

/** The first key that a map has twice, or the alias that is one too many; null without either. Each node is met once. */
async function faultIn(document: Document): Promise<Placed | null> {
  const { isScalar, visit } = namesOf(await import('yaml'));
  let fault: Placed | null = null;
  let aliases = 0;
  const found = (message: string, node: { readonly range?: Range | null } | null): symbol => {
    const [start = 0, end = start] = node?.range ?? [];
    fault = { message, pos: [start, end] };
    return visit.BREAK;
  };
  visit(document, {
    Alias(_, alias) {
      aliases += 1;
      return aliases > maxAliases ? found(`More than ${maxAliases} aliases`, alias) : undefined;
    },
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) return found('Map keys must be unique', key);
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}

function plainOf(convert: () => unknown): { readonly of: unknown } | string {
  try {
    return { of: convert() };
  } catch (thrown) {
    // Aliases that lead nowhere, or that would expand to far more than the file contains.
    return `the YAML cannot be read: ${headline(toFailure(thrown).message)}`;
  }
}

/** An error of the parser without what it adds below it. */
function headline(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}

const fieldLine = /^([A-Za-z_][\w-]*):[ \t]+(\S.*)$/;
const startsOtherwise = /^["'[{|>&*!%@`#]/;

/** The lines, with plain values of outermost fields quoted when they contain a colon, and the names of those fields. */
function quoteColons(head: readonly string[]): {
  readonly lines: readonly string[];
  readonly quoted: readonly string[];
} {
  const lines: string[] = [];
  const quoted: string[] = [];
  for (let at = 0; at < head.length; at += 1) {
    const line = head[at] ?? '';
    const [, field, value] = fieldLine.exec(line) ?? [];
    if (field === undefined || value === undefined || startsOtherwise.test(value)) {
      lines.push(line);
      continue;
    }
    // Below a plain value, what is indented goes on with it.
    const texts = [value.trim()];
    while (/^[ \t]+\S/.test(head[at + 1] ?? '')) {
      at += 1;
      texts.push((head[at] ?? '').trim());
    }
    const whole = texts.join(' ');
    if (!/:(\s|$)/.test(whole)) {
      lines.push(line, ...head.slice(at - texts.length + 2, at + 1));
      continue;
    }
    quoted.push(field);
    // What JSON calls a text, YAML does too.
    lines.push(`${field}: ${JSON.stringify(whole)}`);
  }
  return { lines, quoted };
}
