// Owns what the offline model finds in the text of a goal: quotations, numbers, labelled values, its subject. Pure.
import { meaningOf, stemOf, wordsOf } from './words.ts';

const quotation =
  /"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])/gu;
const number = /(?<![\p{L}\p{N}_.-])-?\d+(?:\.\d+)?(?![\p{L}\p{N}_]|\.\d)/gu;
const properName = /(?<=[\p{Ll}\p{N},;:] )\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*)*/gu;
const afterPreposition =
  /\b(?:in|of|for|about|at|from|to|on|called|named)\s+(?:the\s+|an?\s+)?([\p{L}\p{N}][\p{L}\p{N}'’_-]*)/giu;

/** Reads one goal; a quotation or a number that was taken is not given again. */
export class GoalReader {
  readonly #goal: string;
  /** Stems of what the tool is about: no values. */
  readonly #about: ReadonlySet<string>;
  readonly #quoted: string[];
  readonly #numbers: number[];

  constructor(goal: string, about: string) {
    this.#goal = goal;
    this.#about = meaningOf(about);
    this.#quoted = [...goal.matchAll(quotation)].map((match) => match.slice(1).find(Boolean) ?? '');
    const bare = goal.replace(quotation, ' ');
    this.#numbers = [...bare.matchAll(number)].map(([text]) => Number(text));
  }

  /** Whether the goal, or the text beside it, has the words of a member of a list. */
  mentions(member: string, beside = ''): boolean {
    const stems = wordsOf(`${this.#goal} ${beside}`).map(stemOf);
    const wanted = wordsOf(member).map(stemOf);
    return wanted.length > 0 && wanted.every((stem) => stems.includes(stem));
  }

  /** The value of `name: value`, `name = value`, `name "value"`. */
  labelled(name: string): string | undefined {
    const value = `("[^"\\n]+"|“[^”\\n]+”|\`[^\`\\n]+\`|'[^'\\n]+')`;
    const label = labelOf(name);
    const [, quoted, plain] =
      new RegExp(`${label}(?:\\s*[:=])?\\s*${value}|${label}\\s*[:=]\\s*([^\\s,;]+)`, 'iu').exec(
        this.#goal,
      ) ?? [];
    const text = quoted === undefined ? plain?.replace(/[.!?]$/, '') : quoted.slice(1, -1);
    this.#take(this.#quoted, text);
    return text;
  }

  labelledNumber(name: string): number | undefined {
    const stems = new RegExp(
      `${labelOf(name)}\\s*(?:[:=]|\\b(?:is|of|to)\\b)?\\s*(-?\\d+(?:\\.\\d+)?)`,
      'iu',
    ).exec(this.#goal)?.[1];
    const value = stems === undefined ? undefined : Number(stems);
    this.#take(this.#numbers, value);
    return value;
  }

  /** The value of a flag that the goal labels; true for one that it just names, else undefined. */
  flag(name: string): boolean | undefined {
    return this.labelledFlag(name) ?? (this.mentions(name) ? true : undefined);
  }

  labelledFlag(name: string): boolean | undefined {
    const stems = new RegExp(`${labelOf(name)}\\s*[:=]\\s*(true|false|yes|no)\\b`, 'iu').exec(
      this.#goal,
    )?.[1];
    return stems === undefined ? undefined : /true|yes/i.test(stems);
  }

  nextQuoted(): string | undefined {
    return this.#quoted.shift();
  }

  nextNumber(isWanted: (value: number) => boolean): number | undefined {
    const at = this.#numbers.findIndex(isWanted);
    return at === -1 ? undefined : this.#numbers.splice(at, 1)[0];
  }

  /** What the goal is about besides the tool: a name, the object of a preposition, or the only word that is left. */
  subject(): string | undefined {
    const names = [...this.#goal.matchAll(properName)].map(([text]) => text);
    const objects = [...this.#goal.matchAll(afterPreposition)].map(([, text = '']) => text);
    const isNew = (text: string): boolean => [...meaningOf(text)].some((stem) => this.#isNew(stem));
    const stems = names.find(isNew) ?? objects.find(isNew);
    if (stems !== undefined) return stems;
    const left = [...new Set(wordsOf(this.#goal).filter(isNew))];
    return left.length === 1 ? left[0] : undefined;
  }

  #isNew(stem: string): boolean {
    return !this.#about.has(stem);
  }

  #take<Value>(from: Value[], value: Value | undefined): void {
    const at = value === undefined ? -1 : from.indexOf(value);
    if (at !== -1) from.splice(at, 1);
  }
}

/** The name of a field as people write it: `maxItems`, `max items`, `max-items`. */
function labelOf(name: string): string {
  const words = wordsOf(name).map((word) => word.replace(/[^\p{L}\p{N}]/gu, '.'));
  return `(?<![\\p{L}\\p{N}])${words.join('[\\s_-]?')}(?![\\p{L}\\p{N}])`;
}
