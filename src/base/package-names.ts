// Owns what a package exports, however it was imported. Imports none.

/** Its names: a bundler may hand a package of CommonJS, imported at need, over as its default alone. */
export function namesOf<Package extends object>(imported: Package): Package {
  const isDefaultAlone = Object.keys(imported).every((name) => name === 'default');
  const whole: unknown = Reflect.get(imported, 'default');
  // The value of such a default is the package itself.
  return isDefaultAlone && typeof whole === 'object' && whole !== null
    ? (whole as Package)
    : imported;
}
