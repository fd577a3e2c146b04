// Owns how the offline model fills a JSON Schema: from a goal, and from facts that are known by name. Invents nothing. Pure.
import { isRecord } from '../../base/is-record.ts';
import type { JsonSchema } from '../../protocol/tool-description.ts';
import { findPaths } from './digest.ts';
import { GoalReader } from './goal.ts';

export type Filled =
  | { readonly type: 'filled'; readonly value: Readonly<Record<string, unknown>> }
  /** The first required field without a value. */
  | { readonly type: 'missing'; readonly field: string };

export type FillSource = {
  readonly goal: string;
  /** The name and purpose of the tool: its words are no arguments. */
  readonly about: string;
  /** Values that are known by the name of the field, best first; default none. */
  readonly facts?: readonly Readonly<Record<string, unknown>>[];
  /** Values without a name, in their order; default none. */
  readonly values?: readonly unknown[];
  /**
   * The answer given as a text, used for any text that is not known; undefined for the arguments of a call.
   * A goal that asks for an answer does not contain it: only values with the name of a field count there.
   */
  readonly text?: string;
};

export type AnswerSource = Required<FillSource>;

/** The arguments of a call, as far as the source has them; a field that is not required may be missing. */
export function fill(schema: JsonSchema, source: FillSource): Filled {
  return new Filler(source).object(schema);
}

/** Fields that take a whole request. */
const isFreeText =
  /^(?:q|query|text|question|prompt|input|message|goal|topic|content|body|request|task|instructions?|sentence)$/i;
/** What is carried out or opened is never guessed. */
const isNeverGuessed =
  /command|cmd|code|script|sql|path|file|folder|dir|url|uri|token|key|password/i;
const isPath = /path|file/i;
const isAddress = /ur[il]|link|address/i;

class Filler {
  readonly #source: FillSource;
  readonly #goal: GoalReader;
  readonly #values: unknown[];
  #depth = 0;

  constructor(source: FillSource) {
    this.#source = source;
    this.#goal = new GoalReader(source.goal, source.about);
    this.#values = [...(source.values ?? [])];
  }

  object(schema: JsonSchema): Filled {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const filled: Record<string, unknown> = {};
    // Required fields choose first: they get the values in the goal that have no name.
    const names = Object.keys(properties);
    for (const name of [...names].sort((a, b) => rank(b) - rank(a))) {
      const value = this.#field(name, properties[name], required.includes(name));
      if (value !== undefined) filled[name] = value;
      else if (required.includes(name)) return { type: 'missing', field: name };
    }
    return { type: 'filled', value: filled };

    function rank(name: string): number {
      return required.includes(name) ? 1 : 0;
    }
  }

  /** Undefined when the source has no value for it. */
  #field(name: string, schema: unknown, isNeeded: boolean): unknown {
    if (!isRecord(schema)) return undefined;
    if ('const' in schema) return isNeeded ? schema['const'] : undefined;
    const known = this.#known(name, schema);
    if (known !== undefined) return known;
    if (Array.isArray(schema['enum'])) return this.#member(name, schema['enum']);
    for (const kind of ['anyOf', 'oneOf', 'allOf']) {
      if (!Array.isArray(schema[kind])) continue;
      for (const variant of schema[kind]) {
        const value = this.#field(name, variant, isNeeded);
        if (value !== undefined) return value;
      }
    }
    const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
    switch (type) {
      case 'string':
        return this.#text(name, isNeeded);
      case 'number':
      case 'integer':
        return this.#number(name, schema, isNeeded);
      case 'boolean':
        return this.#isAnswer ? this.#goal.labelledFlag(name) : this.#goal.flag(name);
      case 'array':
        return this.#list(name, schema['items'], isNeeded);
      case 'object': {
        this.#depth += 1;
        const inner = isNeeded ? this.object(schema) : null;
        this.#depth -= 1;
        return inner?.type === 'filled' ? inner.value : undefined;
      }
      default:
        // `null`, a reference, anything at all: not for a reader of goals.
        return undefined;
    }
  }

  /** A fact of that name, or a value without a name that is of its type alone. */
  #known(name: string, schema: JsonSchema): unknown {
    for (const facts of this.#source.facts ?? []) {
      const key = Object.keys(facts).find((each) => each.toLowerCase() === name.toLowerCase());
      if (key !== undefined && fits(facts[key], schema)) return facts[key];
    }
    // A value that has no name is the answer itself, and no detail of it.
    if (schema['type'] === 'string' || this.#depth > 0) return undefined;
    const at = this.#values.findIndex((value) => fits(value, schema));
    return at === -1 ? undefined : this.#values.splice(at, 1)[0];
  }

  get #isAnswer(): boolean {
    return this.#source.text !== undefined;
  }

  #member(name: string, members: readonly unknown[]): unknown {
    const { text = '' } = this.#source;
    const mentioned = members.filter((member) => this.#goal.mentions(String(member), text));
    if (!this.#isAnswer || mentioned.length < 2) return mentioned[0];
    // A question that names several members has not chosen one, unless it labels one.
    const label = this.#goal.labelled(name)?.toLowerCase();
    return mentioned.find((member) => String(member).toLowerCase() === label);
  }

  #text(name: string, isNeeded: boolean): string | undefined {
    const labelled = this.#goal.labelled(name);
    if (labelled !== undefined) return labelled;
    if (isAddress.test(name)) {
      const address = /\bhttps?:\/\/[^\s"'<>)]+[^\s"'<>).,;!?]/.exec(this.#source.goal)?.[0];
      if (address !== undefined) return address;
    }
    if (!isNeeded) return undefined;
    if (isPath.test(name)) return findPaths(this.#source.goal)[0];
    if (this.#source.text !== undefined) return this.#source.text;
    const quoted = this.#goal.nextQuoted();
    if (quoted !== undefined) return quoted;
    if (isFreeText.test(name)) return this.#source.goal.trim();
    return isNeverGuessed.test(name) ? undefined : this.#goal.subject();
  }

  #number(name: string, schema: JsonSchema, isNeeded: boolean): number | undefined {
    const mentioned = this.#goal.labelledNumber(name);
    if (mentioned !== undefined && fits(mentioned, schema)) return mentioned;
    if (!isNeeded || this.#isAnswer) return undefined;
    return this.#goal.nextNumber((value) => fits(value, schema));
  }

  #list(name: string, items: unknown, isNeeded: boolean): readonly unknown[] | undefined {
    if (!isNeeded || !isRecord(items)) return undefined;
    const found: unknown[] = [];
    if (this.#isAnswer) {
      const only = items['type'] === 'string' ? this.#field(name, items, true) : undefined;
      return only === undefined ? undefined : [only];
    }
    if (Array.isArray(items['enum'])) {
      found.push(...items['enum'].filter((each) => this.#goal.mentions(String(each))));
    } else if (items['type'] === 'number' || items['type'] === 'integer') {
      for (;;) {
        const value = this.#goal.nextNumber((each) => fits(each, items));
        if (value === undefined) break;
        found.push(value);
      }
    } else {
      for (let text = this.#goal.nextQuoted(); text !== undefined; text = this.#goal.nextQuoted()) {
        found.push(text);
      }
      const only = found.length === 0 ? this.#field(name, items, true) : undefined;
      if (only !== undefined) found.push(only);
    }
    return found.length === 0 ? undefined : found;
  }
}

/** Whether a value is of the schema's type and within its plain limits; the rest is the tool's to judge. */
function fits(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  switch (type) {
    case 'integer':
    case 'number':
      return (
        typeof value === 'number' &&
        (type === 'number' || Number.isInteger(value)) &&
        !(typeof minimum === 'number' && value < minimum) &&
        !(typeof maximum === 'number' && value > maximum) &&
        !(typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) &&
        !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
      );
    case 'array':
      return (
        Array.isArray(value) &&
        value.every((each) => !isRecord(schema['items']) || fits(each, schema['items']))
      );
    case 'object':
      return isRecord(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return false;
  }
}
