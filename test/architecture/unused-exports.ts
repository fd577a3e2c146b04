// Owns the search for exports that nothing imports: neither another file of the product, nor a test, nor an entry point.
import { localTarget } from './import-rules.ts';
import { isNode, type Node, nameOf, type Source } from './source.ts';

/** The exports of the `product` that no other file of it, and none of `users`, imports; one line each. */
export function unusedExports(
  product: readonly Source[],
  users: readonly Source[],
  entries: ReadonlySet<string>,
): readonly string[] {
  const used = new Set([...product, ...users].flatMap(importedNames));
  return product
    .filter(({ path }) => !entries.has(path))
    .flatMap((source) =>
      exportedNames(source)
        .filter((name) => !used.has(`${source.path} ${name}`) && !used.has(`${source.path} *`))
        .map((name) => `${source.path}: nothing imports ${name}`),
    );
}

function exportedNames({ nodes }: Source): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = node;
    if (!isNode(declaration)) return specifiersOf(node, 'exported');
    const declared = declaration['declarations'];
    const named = Array.isArray(declared) ? declared : [declaration];
    const names = named.flatMap((one) => nameOf(one['id']) ?? []);
    // A type that another export of the file is made of has to be named for its readers.
    return isType(declaration) ? names.filter((name) => timesNamed(nodes, name) < 2) : names;
  });
}

function isType({ type }: Node): boolean {
  return type === 'TSTypeAliasDeclaration' || type === 'TSInterfaceDeclaration';
}

function timesNamed(nodes: readonly Node[], name: string): number {
  return nodes.filter((node) => nameOf(node) === name).length;
}

/** `path name` of each import, `path *` of a file that is imported whole. */
function importedNames({ path, nodes }: Source): readonly string[] {
  return nodes.flatMap((node) => {
    const { source } = node;
    const specifier = isNode(source) ? source['value'] : null;
    const target = typeof specifier === 'string' ? targetOf(path, specifier) : null;
    if (target === null) return [];
    const names =
      node.type === 'ImportDeclaration'
        ? specifiersOf(node, 'imported')
        : node.type === 'ExportNamedDeclaration'
          ? specifiersOf(node, 'local')
          : node.type === 'TSImportType'
            ? [nameOf(node['qualifier']) ?? '*']
            : ['*'];
    return names.map((name) => `${target} ${name}`);
  });
}

/** Tests and benches import the build, by `#src`. */
function targetOf(path: string, specifier: string): string | null {
  const built = /^#(src|workers)\/(.*)\.js$/.exec(specifier);
  return built === null ? localTarget(path, specifier) : `${built[1]}/${built[2]}.ts`;
}

/** A namespace's specifier has no such side: the whole file is meant. */
function specifiersOf(node: Node, side: 'imported' | 'exported' | 'local'): readonly string[] {
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'] : [];
  return specifiers.map((one) => nameOf(one[side]) ?? '*');
}
