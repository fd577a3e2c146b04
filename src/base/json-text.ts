// Owns JSON that was encoded twice, as models do it: an object or a list that came as a text.

/** The object or list that a text encodes; any other value unchanged. */
export function decoded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Not JSON: it is the text that was sent.
    return value;
  }
}
