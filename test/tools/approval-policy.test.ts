// Checks which calls need approval by the patterns of each level, how levels combine, and which patterns are refused.
import { describe, expect, it, test } from 'vitest';
import {
  approvalSchema,
  checkRequiredNames,
  combineRequirements,
  requirementsNaming,
  requirementsOf,
} from '#src/tools/approval-policy.js';

const tool = (name: string, ...tags: string[]) => ({ name, tags });
const policy = (...require: string[]) => ({ require });
const spelled = (requirements: ReturnType<typeof combineRequirements>) =>
  requirements.map(({ by, pattern }) => `${by}: ${pattern}`);

describe('what holds for an agent', () => {
  const above = requirementsOf('supervisor', policy('tag:process'));

  it.each([
    ['nothing further', undefined, undefined, []],
    ['what its definition adds', policy('write'), undefined, ['agent: write']],
    ['what its task adds', undefined, policy('mcp__*'), ['task: mcp__*']],
    ['what both add', policy('write'), policy('mcp__*'), ['agent: write', 'task: mcp__*']],
    ['a pattern of both once for each', policy('a'), policy('a'), ['agent: a', 'task: a']],
    ['a pattern that is written twice once', policy('a', 'a'), undefined, ['agent: a']],
    ['all of it, though a level requires nothing', policy(), policy(), []],
  ])('is what holds above it and %s (V11)', (_what, agent, task, added) => {
    const combined = combineRequirements(above, agent, task);

    expect(spelled(combined)).toEqual(['supervisor: tag:process', ...added]);
  });

  it('grows down the tree: what a task required holds for its children, and is not said twice (V11)', () => {
    const parent = combineRequirements(above, undefined, policy('write'));
    const child = combineRequirements(parent, policy('edit'), policy('write'));
    const grandchild = combineRequirements(child, undefined, undefined);

    const all = ['supervisor: tag:process', 'task: write', 'agent: edit'];
    expect(spelled(child)).toEqual(all);
    expect(spelled(grandchild)).toEqual(all);
  });
});

test('every requirement that names a tool is a reason to ask', () => {
  const requirements = combineRequirements(
    requirementsOf('supervisor', policy('tag:process', 'write')),
    policy('term*'),
    policy('*'),
  );

  const naming = (name: string, ...tags: string[]) =>
    spelled(requirementsNaming(tool(name, ...tags), requirements));
  expect(naming('terminal', 'terminal', 'process')).toEqual([
    'supervisor: tag:process',
    'agent: term*',
    'task: *',
  ]);
  expect(naming('write')).toEqual(['supervisor: write', 'task: *']);
  expect(requirementsNaming(tool('read'), requirementsOf('agent', policy('write')))).toEqual([]);
  expect(requirementsOf('agent', undefined)).toEqual([]);
});

test.each([
  [{ require: [''] }, false],
  [{ require: ['tag:'] }, false],
  [{ require: 'write' }, false],
  [{ requires: ['write'] }, false],
  [{ require: ['write', 'tag:process', 'mcp__*'] }, true],
  [{ require: [] }, true],
  [{}, true],
])('takes %j: %j', (value, isTaken) => {
  expect(approvalSchema.safeParse(value).success).toBe(isTaken);
});

describe('a name that no tool has', () => {
  const toolsets = [
    { name: 'file', description: 'Files.', tools: [tool('read'), tool('write')] },
    { name: 'terminal', description: 'A shell.', tools: [tool('terminal', 'process')] },
  ];
  const known = { tools: [tool('deploy')], toolsets, isOpen: false };

  it.each([
    ['deply', /did you mean "deploy"/],
    ['file', /"file" is a toolset, its tools are "read", "write"/],
    ['bash', /there are deploy, read, write, terminal/],
  ])('is refused where all are known (%s)', (name, message) => {
    expect(() => checkRequiredNames(policy('write', name), known)).toThrowError(
      expect.objectContaining({ code: 'unknown_tool', message: expect.stringMatching(message) }),
    );
  });

  it('is refused where others may come only when it is nearly the name of a known one', () => {
    const open = { ...known, isOpen: true };

    expect(() => checkRequiredNames(policy('deply'), open)).toThrowError(/did you mean "deploy"/);
    expect(() => checkRequiredNames(policy('file'), open)).toThrowError(/is a toolset/);
    expect(checkRequiredNames(policy('write', 'bash'), open)).toEqual(['bash']);
  });

  it.each([
    ['tag:proces', 'tag:process'],
    ['tag:net-work', 'tag:network'],
  ])('has a tag of no tool beside it: %s is refused, %s is meant', (pattern, meant) => {
    for (const isOpen of [true, false]) {
      expect(() => checkRequiredNames(policy(pattern), { ...known, isOpen })).toThrowError(
        expect.objectContaining({
          code: 'unknown_tool',
          message: expect.stringContaining(`did you mean "${meant}"?`),
        }),
      );
    }
    expect(checkRequiredNames(policy(meant), known)).toEqual([]);
  });

  it('is no concern of patterns: tools that they name may come later', () => {
    expect(checkRequiredNames(policy('mcp__*', 'tag:none', 'write'), known)).toEqual([]);
  });
});
