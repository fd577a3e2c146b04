// Owns what must not appear in files that people read: keys, and environment values whose names look secret. Pure.
import { hiddenKeys, isKeyName } from '../base/secret-text.ts';
import type { ModelEnv } from './endpoint.ts';
import type { CredentialPool } from './keys/credentials.ts';

/** Names of variables that usually contain secrets. */
const secretName = /key|token|secret|passw|credential|auth/i;
/** Shorter values of the environment are ordinary words: taking them out would garble a text and hide nothing. */
const minOfEnv = 6;
/** What looks like a key, also where a provider shows only a part of one. */
const keyLike = /\b(?:sk|pk|rk|ghp|gho|xox[a-z])[-_][\w*.-]{3,}|\bBearer\s+\S+/gi;
/** Words are judged whole: an expression for those with stars in them begins anew at each letter of a long one. */
const nonSpace = /\S+/g;

/** Every form in which a secret could occur in a text: as it is, in a URL, in JSON; the longest first. */
export function secretsOf(
  env: ModelEnv,
  pools: readonly CredentialPool[],
  choices: readonly unknown[],
): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value = '']) =>
    secretName.test(name) || isKeyName(name) ? [value.trim()] : [],
  );
  const pooled = pools.flatMap(({ keys }) =>
    keys.map((each) => (typeof each === 'string' ? each : each.key)),
  );
  // A choice may be a list of models.
  const own = choices.flat().flatMap((choice) => keyOf(choice) ?? []);
  const all = [
    ...named.filter(({ length }) => length >= minOfEnv),
    ...hiddenKeys([...pooled, ...own]),
  ];
  const forms = all.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  return [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
}

function keyOf(choice: unknown): string | null {
  if (typeof choice !== 'object' || choice === null || !('apiKey' in choice)) return null;
  return typeof choice.apiKey === 'string' ? choice.apiKey : null;
}

/** The text with every secret, and whatever looks like a key, taken out. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  return clean
    .replace(keyLike, '[key]')
    .replace(nonSpace, (each) => (each.includes('***') ? '[key]' : each));
}
