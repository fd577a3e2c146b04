// Owns what looks like a secret in a text or under a name: no error contains such values. Pure; knows no real key.

const secretWords: ReadonlySet<string> = new Set(
  'key keys apikey token secret secrets password passwd passphrase pwd auth authorization credential credentials cookie bearer jwt'.split(
    ' ',
  ),
);
/** A count of tokens is none of them. */
const countWords: ReadonlySet<string> = new Set(['max', 'limit', 'count', 'budget']);

/** True for the name of a field that contains a key, a password or the like. */
export function isKeyName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => secretWords.has(word)) && !words.some((word) => countWords.has(word));
}

/** Fields whose every value may be a secret, whatever its name: of a process that is started, of a request. */
const secretFields: ReadonlySet<unknown> = new Set(['args', 'env', 'headers']);

export function namesSecret(name: unknown): boolean {
  return secretFields.has(name);
}

/** The value with its shape and names, and none of its leaves. */
export function hideValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return '[value]';
  if (Array.isArray(value)) return value.map(hideValues);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, hideValues(inner)]),
  );
}

/** How the keys of known makers begin. */
const keyShape =
  /\b(?:(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|gh[a-z]|github_pat|glpat|xox[a-z])[-_][\w*.-]{6,}|(?:AKIA|ASIA|AIza)[\w-]{12,})/gi;

/** Those, schemes with their token, tokens of three parts, user and password of an address, and its secret parameters. */
const shapes: readonly (readonly [shape: RegExp, shown: string])[] = [
  [keyShape, '[key]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=*-]{6,}/gi, '$1 [key]'],
  [/\beyJ[\w-]{8,}\.[\w.-]{8,}/g, '[key]'],
  [/(:\/\/)[^/?#@]{1,300}@/g, '$1[key]@'],
  [/([?&][\w-]{0,40}(?:key|token|secret|sig|auth|passw)[\w-]{0,40}=)[^&\s"'#]+/gi, '$1[key]'],
];

/** A key of a provider is longer. */
const minKey = 8;

/** The keys that are taken out of texts. Shorter ones are left in: `test`, for example, occurs in ordinary text. */
export function hiddenKeys(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.map((key) => key.trim()))].filter(({ length }) => length >= minKey);
}

/** The text without these keys, as they are and as a URL writes them. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  return hiddenKeys(keys)
    .flatMap((key) => [key, encodeURIComponent(key)])
    .reduce((rest, form) => rest.replaceAll(form, '[key]'), text);
}

/** True for what begins as the keys of known makers do. */
export function looksLikeKey(text: string): boolean {
  return text.search(keyShape) === 0;
}

/** Long, of letters and digits without a break: no word, date, version or path. */
const longWord = /[A-Za-z0-9]{20,}/g;

/** The text without what has the shape of a key; ids and digests stay, which an error has to name. */
export function maskShapes(text: string): string {
  return shapes.reduce((rest, [shape, shown]) => rest.replace(shape, shown), text);
}

/** The text with whatever looks like a key taken out. */
export function maskKeys(text: string): string {
  return maskShapes(text).replace(longWord, (word) => (isRandom(word) ? '[key]' : word));
}

function isRandom(word: string): boolean {
  return /\d/.test(word) && /[A-Za-z]/.test(word);
}
