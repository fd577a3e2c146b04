// Owns how a test is titled: a sentence, with the ids of the rules it shows in brackets at its end.
import { isNode, lineOf, nameOf, type Source } from './source.ts';

const kinds = new Set(['it', 'test', 'describe']);
/** An id and more: a title that is an id alone groups the tests of its row. */
const idFirst = /^[A-FXMSVPLOW]\d+\b[^"'`]/;

/** The titles in a file that begin with the id of a rule, one line each. */
export function titleProblems({ path, text, nodes }: Source): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'CallExpression' || !kinds.has(calledName(node['callee']) ?? '')) return [];
    const title: unknown = Array.isArray(node['arguments']) ? node['arguments'][0] : null;
    const isIdFirst = isNode(title) && idFirst.test(text.slice(title.start + 1));
    return isIdFirst ? `${path}:${lineOf(text, node)}: the ids of rules stand last in a title` : [];
  });
}

/** `it` of `it`, `it.only` and `it.each(…)`. */
function calledName(callee: unknown): string | null {
  if (!isNode(callee)) return null;
  return nameOf(callee) ?? calledName(callee['object'] ?? callee['callee'] ?? callee['tag']);
}
