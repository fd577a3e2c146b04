// Checks what a program says about a subagent: the spec, its defaults, what is refused.
import { describe, expect, it } from 'vitest';
import {
  checkSpec,
  defaultToolName,
  SubAgentUnavailable,
} from '#src/dialects/agent-family/subagent/spec.js';

const description = 'Searches.';

describe('SubAgentSpec', () => {
  it('needs a name and a description; without an allowlist there is no tool (D27)', () => {
    expect(checkSpec({ name: 'search', description })).toEqual({
      name: 'search',
      description,
      toolsAllowlist: [],
      modelOverride: undefined,
      tags: [],
      healthcheck: undefined,
    });
    expect(defaultToolName({ name: 'search' })).toBe('invoke_search');
  });

  it('is a copy: an allowlist that its owner changes afterwards stays what it was (D33)', () => {
    const toolsAllowlist = ['search'];
    const spec = checkSpec({ name: 'search', description, toolsAllowlist });

    toolsAllowlist.push('fetch');

    expect(spec.toolsAllowlist).toEqual(['search']);
    expect(Object.isFrozen(spec.toolsAllowlist)).toBe(true);
  });

  it.each([
    [{ name: 'a b', description }, 'SubAgentSpec: name is "a b"'],
    [{ name: '../up', description }, 'SubAgentSpec: name is "../up"'],
    [{ name: 'a', description: ' ' }, 'SubAgentSpec: description is " "'],
    [{ name: 'a', description, toolsAllowlist: [7] }, 'SubAgentSpec: toolsAllowlist.0 is 7'],
    [{ name: 'a', description, healthcheck: 'yes' }, 'SubAgentSpec: healthcheck is "yes"'],
    [{ name: 'a', description, tool: 'x' }, 'SubAgentSpec: there is no option "tool"'],
  ])('refuses %j (D27)', (spec, message) => {
    expect(() => checkSpec(spec as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('has a word for a subagent that is not there (D29)', () => {
    const unavailable = new SubAgentUnavailable('search', 'the index is down');

    expect(unavailable.message).toBe('subagent "search" is unavailable: the index is down');
    expect(unavailable).toMatchObject({ name: 'SubAgentUnavailable', subagent: 'search' });
  });
});
