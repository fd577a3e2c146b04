// Owns leaving out the fields of an object that are undefined.

/** A copy without the fields whose value is undefined. */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  // Nothing but fields that are undefined was left out.
  return kept as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
