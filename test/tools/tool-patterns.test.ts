// Checks which tools a pattern names, for denials and for approvals alike.
import { describe, expect, it, test } from 'vitest';
import { resolveGrants } from '#src/tools/grants.js';
import { isPlainName, isToolPattern, matcherOf, toolMatcher } from '#src/tools/tool-patterns.js';

describe('a pattern', () => {
  it.each([
    ['write', 'write', true],
    ['write', 'write_all', false],
    ['Write', 'write', false],
    ['*', 'anything', true],
    ['mcp__*', 'mcp__github__merge', true],
    ['mcp__*', 'mcp_', false],
    ['*__merge', 'mcp__github__merge', true],
    ['*__merge', 'mcp__github__merge_all', false],
    ['mcp__*__merge', 'mcp__github__merge', true],
    ['mcp__*__merge', 'mcp__merge', false],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'acb', false],
    ['aa*aa', 'aaa', false],
    ['aa*aa', 'aaaa', true],
    ['**', 'x', true],
    ['tag:process', 'terminal', true],
    ['process', 'terminal', false],
    ['tag:terminal', 'process', false],
  ])('%s names the tool %s: %j', (pattern, name, names) => {
    const tags = name === 'terminal' ? ['terminal', 'process'] : [];

    expect(toolMatcher([pattern])({ name, tags })).toBe(names);
    expect(matcherOf(['other', pattern])({ name, tags })).toBe(names);
  });

  it.each([
    '',
    ' ',
    'tag:',
    'tag: x',
    'tag:*',
    'tag:proc*',
    'tags:process',
    'a b',
    'read,write',
    'Bash(git:*)',
    '#x',
  ])('is not %j', (text) => {
    expect(isToolPattern(text)).toBe(false);
    expect(() => toolMatcher(['write', text])).toThrowError(/is no pattern: expected the name/);
  });

  it.each([
    ['write', true],
    ['mcp__a__b-c', true],
    ['mcp__*', false],
    ['tag:my own', false],
  ])('may be %s, which is one name: %j', (text, isName) => {
    expect(isToolPattern(text)).toBe(true);
    expect(isPlainName(text)).toBe(isName);
  });
});

test('denies by a pattern with * as it does by a name', () => {
  const registered = ['read', 'mcp__a__read', 'mcp__b__write'].map((name) => ({ name, tags: [] }));
  const granted = (denied: string[], deniedAbove: string[] = []) =>
    resolveGrants({ registered, denied, deniedAbove }).map(({ name }) => name);

  expect(granted(['mcp__*'])).toEqual(['read']);
  expect(granted([], ['*read'])).toEqual(['mcp__b__write']);
});
