// Owns the check of the option `credentials`. Its errors name fields and kinds, never a value that could be a key.
import { z } from 'zod';
import { TroupeError } from '../base/failures.ts';
import { firstFault } from '../base/option-faults.ts';
import { type CredentialPool, poolProviders, readPools } from '../models/keys/credentials.ts';
import { type KeyPool, leaseStrategies } from '../protocol/key-pool.ts';

// Visible ASCII: what a header can carry.
const secret = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'expected a key without spaces or control characters');

const schema = z.array(
  z.strictObject({
    provider: z.enum(poolProviders),
    baseUrl: z
      .string()
      .refine(isPlainAddress, 'expected an http or https URL without user, query and fragment')
      .optional(),
    strategy: z.enum(leaseStrategies).optional(),
    keys: z
      .array(
        z.union(
          [secret, z.strictObject({ key: secret, label: z.string().min(1).max(80) })],
          'expected a key, or { key, label }',
        ),
      )
      .min(1),
  }),
);

/** Throws `invalid_options` naming the field: a bad address, no key, one key twice, a label that gives a key away. */
export function checkCredentials(value: unknown): readonly CredentialPool[] {
  if (value === undefined) return [];
  const fault = firstFault(schema, value);
  if (fault !== null) {
    const { path, isUnknown, why } = fault;
    const shown = isUnknown ? path.slice(0, -1) : path;
    const reason = isUnknown ? `has a field that is none of its own; ${why}` : why;
    refuse(['credentials', ...shown].join('.'), reason);
  }
  // Parsing trims the keys and changes nothing else.
  const pools = schema.parse(value) as readonly CredentialPool[];
  for (const [index, { keys }] of readPools(pools).entries()) {
    checkKeys(`credentials.${index}.keys`, keys, pools[index]?.keys ?? []);
  }
  return pools;
}

function checkKeys(field: string, labelled: KeyPool['keys'], given: CredentialPool['keys']): void {
  const keys = new Set(labelled.map(({ key }) => key));
  if (keys.size < labelled.length) refuse(field, 'one key is there twice');
  const labels = new Set(labelled.map(({ label }) => label));
  if (labels.size < labelled.length) refuse(field, 'two keys have one label');
  const named = given.filter((each) => typeof each !== 'string');
  if (named.some(({ label }) => [...keys].some((key) => shows(label, key)))) {
    refuse(field, 'a label shows a key, or a part of one');
  }
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

const maxHint = 8;

/** True when a label contains the key, or so much of it that it helps to guess. */
function shows(label: string, key: string): boolean {
  return label.includes(key) || (label.length > maxHint && key.includes(label));
}

function refuse(field: string, why: string): never {
  throw new TroupeError('invalid_options', `createSupervisor: ${field}: ${why}`, {
    detail: { field },
  });
}
