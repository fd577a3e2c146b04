// Owns what agent and skill files share: front matter with a name and a description, the nearest file of a name.
import { type Report, requiredText, textOf } from './definition-folder.ts';
import { readFrontMatter } from './front-matter.ts';

/** A file of definitions that could be read. */
export type DefinitionFile = {
  readonly name: string;
  readonly description: string;
  readonly fields: ReadonlyMap<string, unknown>;
  readonly body: string;
};

/** Null, with an error reported, for a file without front matter, a name or a description. */
export async function readDefinition(file: string, report: Report): Promise<DefinitionFile | null> {
  const text = await textOf(file, report);
  if (text === null) return null;
  const read = await readFrontMatter(text);
  if (read.status === 'unreadable') {
    report.error(`${read.message}; the file is left out`);
    return null;
  }
  for (const { message, field } of read.remarks) report.warn(message, field);
  const { fields, body } = read;
  const name = requiredText(fields, 'name', report);
  const description = requiredText(fields, 'description', report);
  return name === null || description === null ? null : { name, description, fields, body };
}

/** Definitions by name: the first of a name is kept, and a warning reports each later one. */
export class NearestFirst<Definition extends { readonly name: string }> {
  readonly #kind: string;
  readonly #all = new Map<string, { readonly file: string; readonly definition: Definition }>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  get all(): readonly Definition[] {
    return [...this.#all.values()].map(({ definition }) => definition);
  }

  /** False when a nearer file defines it. */
  take(file: string, definition: Definition, report: Report): boolean {
    const { name } = definition;
    const nearer = this.#all.get(name);
    if (nearer === undefined) {
      this.#all.set(name, { file, definition });
      return true;
    }
    report.warn(
      `the ${this.#kind} ${name} is that of ${nearer.file}; this one is left out`,
      'name',
    );
    return false;
  }
}
