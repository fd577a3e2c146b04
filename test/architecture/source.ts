// Owns the reading of TypeScript for the keeper tests: the syntax tree as a flat list, and the imports in it.
// The parser is the one vitest brings: it needs no project and no process of its own.
import { parseSync } from 'vite';

/** A node of the ESTree with TypeScript's additions; what is not named here is read through `isNode`. */
export type Node = {
  readonly type: string;
  readonly start: number;
  readonly [property: string]: unknown;
};

export type Import = {
  readonly specifier: string;
  /** `type` leaves no trace at run time, `static` loads with the file, `dynamic` when it is reached. */
  readonly kind: 'type' | 'static' | 'dynamic';
  readonly line: number;
};

/** A file of the repository, parsed. */
export type Source = {
  /** From the root of the repository, with `/` between names. */
  readonly path: string;
  readonly text: string;
  readonly nodes: readonly Node[];
  readonly imports: readonly Import[];
};

export function parseSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const nodes = [...flatten(program)];
  const imports = nodes.flatMap((node) => importsOf(node, text));
  return { path, text, nodes, imports };
}

/** The line of a node, from 1. */
export function lineOf(text: string, node: Node): number {
  return text.slice(0, node.start).split('\n').length;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The name of an identifier, or of a property that is written as one. */
export function nameOf(value: unknown): string | null {
  return isNode(value) && value.type === 'Identifier' ? String(value['name']) : null;
}

function* flatten(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* flatten(item);
    return;
  }
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* flatten(child);
}

function importsOf(node: Node, text: string): readonly Import[] {
  const specifier = isNode(node['source']) ? node['source']['value'] : null;
  if (typeof specifier !== 'string') return [];
  const kind = kindOf(node);
  return kind === null ? [] : [{ specifier, kind, line: lineOf(text, node) }];
}

function kindOf(node: Node): Import['kind'] | null {
  switch (node.type) {
    // `import { type A } from` still loads the module (verbatimModuleSyntax): only the whole declaration counts.
    case 'ImportDeclaration':
      return node['importKind'] === 'type' ? 'type' : 'static';
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return node['exportKind'] === 'type' ? 'type' : 'static';
    case 'ImportExpression':
      return 'dynamic';
    case 'TSImportType':
      return 'type';
    default:
      return null;
  }
}
