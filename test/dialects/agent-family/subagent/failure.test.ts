// Checks that every failure of a subagent is a text for its host's model, a warning and a failed span; and its limits.
import { describe, expect, it } from 'vitest';
import { outcomeExitReasons } from '#src/base/outcome.js';
import { msgText } from '#src/dialects/agent-family/base/msg.js';
import type { Permissions } from '#src/dialects/agent-family/subagent/permissions.js';
import { unavailabilityOf } from '#src/dialects/agent-family/subagent/response.js';
import { arrange, look, resultsIn, scout, spec } from '../subagent-support.ts';

const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name) => ({ name, input: { query: `Ask ${name}.` } })),
});
const done = { text: 'done' };
const looks = { toolCalls: [{ name: 'look', input: { what: 'moon' } }] };
const withLook = { toolsAllowlist: ['look'] };

describe('the failure of a subagent', () => {
  const throwing = {
    throw: {
      status: 400,
      message: 'no such thing\n    at run (/srv/app.js:1:2)\n    at async Promise.all (index 0)',
    },
  };

  it.each<[string, Parameters<typeof arrange>[0]['default'], Partial<Permissions>, string]>([
    ['a model that fails', [throwing], {}, 'model_bad_request'],
    ['a timeout', [{ hang: true }], { safetyLimits: { totalTimeoutMs: 50 } }, 'timeout'],
    [
      'the limit of its rounds',
      [looks, { text: 'so far' }],
      { safetyLimits: { maxTurns: 1 } },
      'max_iters',
    ],
    [
      'its budget',
      [{ ...looks, usage: { inputTokens: 90, outputTokens: 20 } }, done],
      { safetyLimits: { maxTokens: 100 } },
      'budget',
    ],
  ])(
    'by %s is a text, a warning and a failed span; the host goes on (D49, D54)',
    async (...row) => {
      const [, steps = [], permissions, error] = row;
      const { registry, ask, responses, logger, tracer, requestsOf, watch } = arrange(
        { agents: { host: [calls('invoke_a'), { text: 'never mind' }], a: steps } },
        { permissions },
      );
      await registry.register(scout(), spec('a', withLook));

      const reply = await ask();

      expect(msgText(reply)).toBe('never mind');
      expect(responses[0]).toMatchObject({
        isLast: true,
        metadata: { subagent: 'a', supervisor: 'host', unavailable: true, error },
      });
      const [text] = resultsIn(requestsOf('host')[1]);
      expect(text).toContain(`Subagent a is unavailable (error: ${error}).`);
      expect(text).not.toMatch(/\bat \S+ \(|\.[jt]s:\d|Promise\.all/);
      expect(watch.of('tool_completed').at(-1)).toMatchObject({ name: 'invoke_a', isError: false });
      expect(logger.warnings).toHaveLength(1);
      expect(logger.warnings[0]?.fields).toEqual({ subagent: 'a', supervisor: 'host', error });
      expect(tracer.lines().slice(2)).toEqual([
        `execute_tool a < host: ${error}`,
        `invoke_agent a < execute_tool a: ${error}`,
      ]);
    },
  );

  it('by a class that throws, or a tool that is gone, is a text too (D54)', async () => {
    let isBroken = false;
    const Flaky = scout({
      tools: () => {
        if (isBroken) throw new Error('the index is gone');
        return [look];
      },
    });
    const Poor = scout({ tools: () => (isBroken ? [] : [look]) });
    const { registry, ask, responses, logger } = arrange({
      agents: { host: [calls('invoke_a', 'invoke_b'), done] },
    });
    await registry.register(Flaky, spec('a'));
    await registry.register(Poor, spec('b', withLook));
    isBroken = true;

    await ask();

    expect(responses.map(({ metadata }) => [metadata.unavailable, metadata.error])).toEqual([
      [true, 'crashed'],
      [true, 'unknown_tool'],
    ]);
    expect(logger.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('the index is gone'),
      expect.stringContaining('there is no tool "look"'),
    ]);
  });

  it('refuses a disabled tool in the subagent, and one beyond its count (D49)', async () => {
    const { registry, ask, requestsOf } = arrange(
      {
        agents: {
          host: [calls('invoke_a'), calls('invoke_b'), done],
          a: [{ toolCalls: [{ name: 'spy', input: { what: 'x' } }] }, done],
          b: [looks, looks, done],
        },
      },
      { permissions: { safetyLimits: { disabledTools: ['spy'], maxToolCalls: 1 } } },
    );
    const spy = { ...look, name: 'spy' };
    const Spying = scout({ tools: () => [look, spy] });
    await registry.register(Spying, spec('a', { toolsAllowlist: ['look', 'spy'] }));
    await registry.register(Spying, spec('b', withLook));

    await ask();

    expect(requestsOf('a')[0]?.tools.map(({ name }) => name)).toEqual(['look']);
    expect(resultsIn(requestsOf('a')[1])).toEqual([expect.stringContaining('no tool "spy" here')]);
    expect(resultsIn(requestsOf('b')[1])).toEqual(['seen: moon']);
    expect(resultsIn(requestsOf('b')[2])).toEqual([expect.stringContaining('is used up')]);
  });

  it('of an instance that is kept is that of this delegation, not of one before (D54, D59)', async () => {
    const { supervisor, logger } = arrange({
      agents: { a: [{ throw: { status: 400, message: 'no' } }] },
    });
    const agent = new (scout())({
      name: 'a',
      supervisor,
      permissions: { logger, supervisorName: 'host' },
    });
    const first = await agent.delegate('look');
    agent.registerInstanceHook('pre_reply', 'closed', () => {
      throw new Error('closed today');
    });

    const second = await agent.delegate('look again');

    expect([first, second].map(({ metadata }) => metadata.error)).toEqual([
      'model_bad_request',
      'crashed',
    ]);
  });

  it('shows no more than the beginning of a long message, in whole characters (D54)', () => {
    const error = {
      code: 'model_timeout',
      message: `${'x'.repeat(498)}🌒🌓`,
      retryable: true,
    } as const;

    const why = unavailabilityOf({ exitReason: 'error', error, text: '' });

    expect(why?.error).toBe('timeout');
    expect(why?.message).toBe(`${'x'.repeat(498)}….`);
  });

  it('has a word for every end of a run (D54)', () => {
    const explanations = outcomeExitReasons.map((exitReason) => [
      exitReason,
      unavailabilityOf({ exitReason, text: '' })?.error,
    ]);

    expect(Object.fromEntries(explanations)).toEqual({
      goal: undefined,
      max_turns: 'max_iters',
      idle_timeout: 'timeout',
      total_timeout: 'timeout',
      budget: 'budget',
      interrupted: 'interrupted',
      killed: 'interrupted',
      crashed: 'crashed',
      refused: 'refused',
      rejected: 'rejected',
      error: 'error',
    });
  });
});
