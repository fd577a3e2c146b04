// Owns the words of docs/glossary.md that no name may have: identifiers and file names alike.
import { lineOf, type Source } from './source.ts';

/** Words with no meaning here; `line`, `plan`, `note`, `word` and `settle` have one each, so that no list can judge them. */
const retired = new Set(
  (
    'hold holds held holding holder desk house outpost lodging lodge wish wishes wished told untold said unsaid unsay ' +
    'heard unheard whoever nobody lifeless standing stays seat seats seated occupant lane debt debts owed owes witness ' +
    'puppets noted most longest wedged'
  ).split(' '),
);
const named = /^(Identifier|PrivateIdentifier|JSXIdentifier)$/;
const partsOfName = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** The names in a file, and the one of the file, that have a retired word; one line each. */
export function retiredNames({ path, text, nodes }: Source): readonly string[] {
  const file = path.split('/').at(-1) ?? path;
  const inNames = nodes.flatMap((node) => {
    if (!named.test(node.type)) return [];
    return retiredParts(String(node['name'])).map(
      (word) => `${path}:${lineOf(text, node)}: the name ${node['name']} has the word "${word}"`,
    );
  });
  return [
    ...retiredParts(file).map((word) => `${path}: the file's name has the word "${word}"`),
    ...inNames,
  ];
}

function retiredParts(name: string): readonly string[] {
  const parts = name.match(partsOfName) ?? [];
  return parts.map((part) => part.toLowerCase()).filter((part) => retired.has(part));
}
