// Owns the search for what is declared and never made: members of closed unions that no expression of the product constructs.
// The checker is TypeScript's own, by the interface that the pinned version calls unstable: only it knows what a text is for.
import {
  type Expression,
  type Identifier,
  isArrayLiteralExpression,
  isCallExpression,
  isFunctionLikeDeclaration,
  isLiteralTypeNode,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertySignatureDeclaration,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTypeAliasDeclaration,
  isUnionTypeNode,
  type Node,
  type ObjectLiteralExpression,
  type PropertyAssignment,
  type ShorthandPropertyAssignment,
  type StringLiteral,
} from 'typescript/unstable/ast';
import type { FileSystem } from 'typescript/unstable/fs';
import { API, type Checker, type NodeHandle, type Type } from 'typescript/unstable/sync';

/** A member of a union that nothing constructs. */
export type Unmade = { readonly path: string; readonly union: string; readonly member: string };

/** Fields that tell the members of a union of objects apart. */
const tags = ['type', 't', 'status', 'kind'] as const;

/** Calls that take a name to look for it. */
const lookups: ReadonlySet<string> = new Set(['includes', 'has', 'indexOf', 'get', 'on', 'once']);

/**
 * The members of the closed unions of texts, and of objects with a tag, that are declared below `folders` of the project at
 * `root` and made nowhere there. To make one is to write its name where a value of the union is expected: a comparison, a
 * `case` and a list to look it up in are none.
 */
export function unmadeIn(
  root: string,
  folders: readonly string[],
  fs?: FileSystem,
): readonly Unmade[] {
  const api = new API(fs === undefined ? { cwd: root } : { cwd: root, fs });
  try {
    const config = `${root}/tsconfig.json`;
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is no project`);
    const ours = folders.map((folder) => `${root}/${folder}/`);
    const isOurs = (file: string) => ours.some((folder) => file.startsWith(folder));
    const search = new Search(project.checker, isOurs);
    for (const file of project.program.getSourceFileNames()) {
      if (!isOurs(file)) continue;
      const path = file.slice(root.length + 1);
      project.program.getSourceFile(file)?.forEachChild((node) => search.visit(node, path));
    }
    return search.unmade();
  } finally {
    api.close();
  }
}

class Search {
  readonly #checker: Checker;
  readonly #isOurs: (file: string) => boolean;
  readonly #aliases: { readonly path: string; readonly name: string; readonly type: Type }[] = [];
  readonly #texts: {
    readonly text: string;
    readonly among: ReadonlySet<string>;
    readonly alias: string | undefined;
  }[] = [];
  /** The tags that object literals carry: where the field is declared, and the text. */
  readonly #tags = new Set<string>();
  /** The texts in each type, by the type's number. */
  readonly #members = new Map<number, ReadonlySet<string>>();

  constructor(checker: Checker, isOurs: (file: string) => boolean) {
    this.#checker = checker;
    this.#isOurs = isOurs;
  }

  visit(node: Node, path: string): void {
    if (isTypeAliasDeclaration(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node.name);
      const type = symbol === undefined ? symbol : this.#checker.getDeclaredTypeOfSymbol(symbol);
      if (type !== undefined) this.#aliases.push({ path, name: node.name.text, type });
    }
    if (isStringLiteral(node) && !isLookup(node)) this.#written(node);
    if (isPropertyAssignment(node)) this.#tagged(node, node.initializer);
    if (isShorthandPropertyAssignment(node)) this.#tagged(node, node.name as Identifier);
    node.forEachChild((child) => this.visit(child, path));
  }

  unmade(): readonly Unmade[] {
    return this.#aliases.flatMap(({ path, name, type }) => {
      const texts = this.#textsOf(type);
      const unmade = texts.size > 1 ? this.#unmadeTexts(name, texts) : this.#unmadeTags(type);
      return unmade.map((member) => ({ path, union: name, member }));
    });
  }

  /** A text counts for the union it is expected to be of, and for every larger one. */
  #unmadeTexts(name: string, members: ReadonlySet<string>): readonly string[] {
    const made = new Set<string>();
    for (const { text, among, alias } of this.#texts) {
      const isPart = among.size > 1 && [...among].every((other) => members.has(other));
      if (isPart || alias === name) made.add(text);
    }
    return [...members].filter((member) => !made.has(member));
  }

  #unmadeTags(union: Type): readonly string[] {
    const parts = this.#partsOf(union);
    const tag = tags.find((name) =>
      parts.every((part) => this.#checker.getPropertyOfType(part, name) !== undefined),
    );
    if (parts.length < 2 || tag === undefined) return [];
    return parts.flatMap((part) => {
      const field = this.#checker.getPropertyOfType(part, tag);
      return [...this.#textsOf(this.#fieldOf(part, tag))].filter(
        (text) => !field?.declarations.some((where) => this.#isMade(where, text)),
      );
    });
  }

  /** True as well for a tag that is written in no type: a field of a class, or of a package. */
  #isMade(where: NodeHandle, text: string): boolean {
    const field = this.#isOurs(where.path) ? where.resolve() : undefined;
    if (field === undefined || !isPropertySignatureDeclaration(field)) return true;
    const { type } = field;
    if (type === undefined || !(isLiteralTypeNode(type) || isUnionTypeNode(type))) return true;
    return this.#tags.has(keyOf(where, text));
  }

  #written(node: StringLiteral): void {
    const { text } = node;
    const expected = this.#expected(node);
    const among = new Set(expected.flatMap((type) => [...this.#textsOf(type)]));
    if (!among.has(text)) return;
    this.#texts.push({ text, among, alias: expected[0]?.getAliasSymbol()?.name });
  }

  /** The tag of an object literal: its text, or those of the variable that it is taken from. */
  #tagged({ parent, name }: PropertyAssignment | ShorthandPropertyAssignment, value: Expression) {
    const field = name.getText();
    if (!tags.some((tag) => tag === field)) return;
    const texts = isStringLiteral(value)
      ? [value.text]
      : this.#textsOf(this.#checker.getTypeAtLocation(value));
    const object = this.#checker.getContextualType(parent as ObjectLiteralExpression);
    for (const part of this.#partsOf(object)) {
      const { declarations = [] } = this.#checker.getPropertyOfType(part, field) ?? {};
      for (const where of declarations) {
        for (const text of texts) this.#tags.add(keyOf(where, text));
      }
    }
  }

  /** What a text is written for: the types that are declared there, before the text itself narrows them. */
  #expected(node: StringLiteral): readonly (Type | undefined)[] {
    const { parent } = node;
    const type = this.#checker.getContextualType(node);
    if (this.#textsOf(type).size !== 1) return [type];
    if (isPropertyAssignment(parent)) {
      const object = this.#checker.getContextualType(parent.parent as ObjectLiteralExpression);
      return this.#partsOf(object).map((part) => this.#fieldOf(part, parent.name.getText()));
    }
    if (!isCallExpression(parent)) return [type];
    const declaration = this.#checker.getResolvedSignature(parent)?.declaration?.resolve();
    if (declaration === undefined || !isFunctionLikeDeclaration(declaration)) return [type];
    const declared = declaration.parameters[parent.arguments.indexOf(node)]?.type;
    return [declared === undefined ? type : this.#checker.getTypeFromTypeNode(declared)];
  }

  #fieldOf(type: Type, name: string): Type | undefined {
    const field = this.#checker.getPropertyOfType(type, name);
    return field === undefined ? undefined : this.#checker.getTypeOfSymbol(field);
  }

  #textsOf(type: Type | undefined): ReadonlySet<string> {
    if (type === undefined) return new Set();
    const known = this.#members.get(type.id);
    if (known !== undefined) return known;
    const literals = this.#partsOf(type).filter((part) => part.isStringLiteralType());
    const texts = new Set(literals.map(({ value }) => value));
    this.#members.set(type.id, texts);
    return texts;
  }

  #partsOf(type: Type | undefined): readonly Type[] {
    if (type === undefined) return [];
    if (type.isUnionType()) return type.getTypes().flatMap((part) => this.#partsOf(part));
    if (!type.isTypeParameter() && !type.isIndexType()) return [type];
    return this.#partsOf(this.#checker.getBaseConstraintOfType(type));
  }
}

function keyOf({ path, index }: NodeHandle, text: string): string {
  return `${path} ${index} ${text}`;
}

function isLookup({ parent }: Node): boolean {
  if (isArrayLiteralExpression(parent)) return isNewExpression(parent.parent);
  if (!isCallExpression(parent)) return false;
  const { expression } = parent;
  return isPropertyAccessExpression(expression) && lookups.has(expression.name.text);
}
