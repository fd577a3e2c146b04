// Proves the one resolver of grants: what X7 says about every mix of registered, declared, denied and inherited tools.

import { expect, test } from 'vitest';
import { type GrantRequest, refuseCall, resolveGrants, withheldTools } from '#src/tools/grants.js';

type Named = { readonly name: string; readonly tags: readonly string[] };

const named = (name: string, ...tags: string[]): Named => ({ name, tags });
const alpha = named('alpha');
const beta = named('beta', 'network');
const gamma = named('gamma', 'network', 'paid');
const registered = [beta, alpha, gamma];
const file = {
  name: 'file',
  description: 'Files',
  tools: [named('read', 'file'), named('write', 'file', 'write')],
};

type Case = [sentence: string, request: Partial<GrantRequest<Named>>, expected: string];

test.each<Case>([
  ['naming no tools means every registered one', {}, 'beta alpha gamma'],
  ['an empty list means none', { declared: [] }, ''],
  ['a list is taken in the order of registration', { declared: ['gamma', 'beta'] }, 'beta gamma'],
  ['a name given twice counts once', { declared: ['alpha', 'alpha'] }, 'alpha'],
  ['no built-in toolset comes unasked', { declared: undefined }, 'beta alpha gamma'],
  ['a toolset comes after what is registered', { toolsets: [file] }, 'beta alpha gamma read write'],
  ['a toolset adds to a list', { declared: ['alpha'], toolsets: [file] }, 'alpha read write'],
  ['a list may name a tool of its toolset', { declared: ['read'], toolsets: [file] }, 'read write'],
  ['a denied name is taken away', { denied: ['alpha'] }, 'beta gamma'],
  ['deny wins over grant', { declared: ['alpha', 'beta'], denied: ['alpha'] }, 'beta'],
  ['deny wins over a toolset', { declared: [], toolsets: [file], denied: ['write'] }, 'read'],
  ['deny takes a tag as a group', { denied: ['tag:network'] }, 'alpha'],
  ['a bare tag name denies nothing', { denied: ['network'] }, 'beta alpha gamma'],
  ['a denied name that no tool has denies nothing', { denied: ['zeta'] }, 'beta alpha gamma'],
  ['a child holds no more than its parent', { parentRights: new Set(['alpha']) }, 'alpha'],
  [
    'a child cannot declare what its parent lacks',
    { declared: ['alpha', 'gamma'], parentRights: new Set(['alpha', 'beta']) },
    'alpha',
  ],
  [
    'a child gets no toolset its parent lacks',
    { toolsets: [file], parentRights: new Set(['alpha', 'read']) },
    'alpha read',
  ],
  [
    'deny wins over the rights of the parent',
    { denied: ['alpha'], parentRights: new Set(['alpha', 'beta']) },
    'beta',
  ],
  ['a parent without tools has children without', { parentRights: new Set() }, ''],
  [
    'what the operator lends is had beyond the parent’s rights by who asks',
    { declared: ['alpha', 'beta'], parentRights: new Set(), lent: new Set(['alpha', 'gamma']) },
    'alpha',
  ],
  [
    'a toolset that the operator lends is had beyond them too',
    { declared: [], toolsets: [file], parentRights: new Set(), lent: new Set(['read', 'write']) },
    'read write',
  ],
  [
    'what is granted is had by who asks for nothing',
    { declared: [], granted: ['gamma'], parentRights: new Set() },
    'gamma',
  ],
  [
    'a denial above wins over what is lent, granted and asked',
    {
      declared: ['alpha', 'beta'],
      granted: ['gamma'],
      lent: new Set(['beta']),
      deniedAbove: ['tag:paid', 'beta'],
    },
    'alpha',
  ],
  [
    'a bound wins over what is lent, granted and asked, toolsets too',
    { granted: ['gamma'], lent: new Set(['beta']), toolsets: [file], allowed: ['alpha', 'read'] },
    'alpha read',
  ],
  ['a bound grants nothing', { declared: ['alpha'], allowed: ['alpha', 'beta'] }, 'alpha'],
])('%s (X7)', (_sentence, request, expected) => {
  const effective = resolveGrants({ registered, ...request });

  expect(effective.map((tool) => tool.name).join(' ')).toBe(expected);
});

test('returns the tools themselves and changes none of its arguments (X7)', () => {
  const declared = Object.freeze(['beta']);

  expect(resolveGrants({ registered: Object.freeze([...registered]), declared })).toEqual([beta]);
});

test.each<Case>([
  ['what is named and not held', { declared: ['alpha', 'beta'] }, 'alpha not_held'],
  ['what a toolset named has', { declared: [], toolsets: [file] }, 'read not_held, write not_held'],
  ['what is denied above', { declared: ['beta'], deniedAbove: ['beta'] }, 'beta denied_above'],
  [
    'a grant that is denied above',
    { declared: [], granted: ['alpha'], deniedAbove: ['alpha'] },
    'alpha denied_above',
  ],
  ['nothing that nobody named', {}, ''],
  ['nothing that its own definition denies', { declared: ['alpha'], denied: ['alpha'] }, ''],
  ['nothing that is out of its own bound', { declared: ['alpha'], allowed: [] }, ''],
  ['nothing that is lent', { declared: ['alpha'], lent: new Set(['alpha']) }, ''],
])('withholds %s (X7)', (_sentence, request, expected) => {
  const parentRights = new Set(['beta']);
  const withheld = withheldTools({ registered, parentRights, ...request });

  expect(withheld.map(({ tool, why }) => `${tool.name} ${why}`).join(', ')).toBe(expected);
});

test.each<Case>([
  ['two registered tools', { registered: [alpha, named('alpha')] }, 'two tools are named "alpha"'],
  [
    'a registered tool and one of a toolset',
    { registered: [named('read')], toolsets: [file] },
    'two tools are named "read"',
  ],
])('refuses one name for %s, also when it is denied', (_sentence, request, message) => {
  const resolve = () => resolveGrants({ registered, denied: ['alpha', 'read'], ...request });

  expect(resolve).toThrow(message);
  expect(resolve).toThrow(expect.objectContaining({ code: 'invalid_tool' }));
});

test('lets a registered tool share a name with a toolset that was not asked for', () => {
  expect(resolveGrants({ registered: [named('read')] })).toHaveLength(1);
});

test.each<Case>([
  ['a name nobody registered', { declared: ['delta'] }, '"delta"'],
  ['a tool of a toolset that was not asked for', { declared: ['read'] }, '"read"'],
  ['the list of what there is', { declared: ['delta'] }, 'Registered: beta, alpha, gamma.'],
  ['that there is none', { registered: [], declared: ['delta'] }, 'Registered: none.'],
])('refuses an unknown tool with %s', (_sentence, request, message) => {
  const resolve = () => resolveGrants({ registered, ...request });

  expect(resolve).toThrow(message);
  expect(resolve).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
});

test('checks a call against the effective set again and tells the model what it has', () => {
  expect(refuseCall('alpha', [alpha])).toBeNull();
  expect(refuseCall('beta', [alpha])).toMatchObject({
    code: 'tool_denied',
    message: 'There is no tool "beta" here. Your tools: alpha.',
  });
});
