// Owns how the offline model compares a goal with what a tool is for: words that carry meaning, without their endings. Pure.
import type { ToolSchema } from '../../protocol/model-head.ts';

const empty = new Set(
  (
    'a an the of in on at to for and or if is are was be it its this that these those with by from as into do does can ' +
    'you your i me my we our he she they them please what which who whose when where tell say show give get use call run ' +
    'tool function returns return'
  ).split(' '),
);

/** The words of a text in their order, identifiers taken apart: `getWeather` is two. */
export function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ').replace(/_/g, ' ');
  return apart.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** A word as it is compared: `Bolts` and `bolt` are one. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length > 5 && /(?:ing|ied|ies|ed)$/.test(lower)) {
    return lower.replace(/(?:ied|ies)$/, 'y').replace(/(?:ing|ed)$/, '');
  }
  return lower.length > 3 ? lower.replace(/(?<!s)s$/, '') : lower;
}

/** Stems of the words that carry meaning. */
export function meaningOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text).filter((word) => !empty.has(word.toLowerCase()));
  return new Set(words.map(stemOf));
}

/**
 * Whether the goal asks for the tool: it contains its name, all the words of its name, or most of what the first
 * sentence of its description is about.
 */
export function asksFor(goal: string, { name, description }: ToolSchema): boolean {
  const asked = meaningOf(goal);
  const named = [...meaningOf(name)];
  if (named.length > 0 && named.every((stem) => asked.has(stem))) return true;
  const [sentence = ''] = description.split(/(?<=[.!?])\s/);
  const purpose = [...meaningOf(sentence)];
  const shared = purpose.filter((stem) => asked.has(stem)).length;
  return shared >= Math.min(2, purpose.length) && shared > 0 && shared * 2 >= purpose.length;
}
