// Checks subagents whose model switches its tool groups: the call goes on as another run, and its limits are those of one call.
import { describe, expect, it } from 'vitest';
import { PlanNotebook } from '#src/dialects/agent-family/react/plan-notebook.js';
import type { SafetyLimits } from '#src/dialects/agent-family/subagent/permissions.js';
import { arrange, resultsIn, scout, spec } from '../subagent-support.ts';
import { inOrder } from '../support.ts';

const toPlans = { calls: { reset_equipped_tools: { plan_related: true } } };
const toNone = { calls: { reset_equipped_tools: {} } };
const called = { calls: { invoke_scout: { query: 'Look.' } } };

/** A host that calls one subagent with switchable tools; what models answer, in order. */
async function switching(
  answers: Parameters<typeof inOrder>[0],
  safetyLimits: SafetyLimits = {},
  maxIters = 5,
) {
  const model = inOrder([called, ...answers, { text: 'over' }]);
  const arranged = arrange(
    { default: [{ text: 'not asked' }] },
    { supervisor: { model }, permissions: { safetyLimits } },
  );
  const cls = scout({ planNotebook: new PlanNotebook(), enableMetaTool: true, maxIters });
  await arranged.registry.register(cls, spec('scout', { toolsAllowlist: ['look'] }));
  await arranged.ask();
  return { ...arranged, asked: model.asked.filter(({ agent }) => agent.name === 'scout') };
}

describe('a subagent that switches its tools', () => {
  it('goes on with them in the same call, and answers once (D21, D51)', async () => {
    const { asked, responses } = await switching([
      toPlans,
      { calls: { look: { what: 'moon' } } },
      { text: 'Seen.' },
    ]);

    expect(asked.map(({ tools }) => tools.some(({ name }) => name === 'create_plan'))).toEqual([
      false,
      true,
      true,
    ]);
    expect(responses).toMatchObject([{ content: [{ text: 'Seen.' }], isLast: true }]);
    expect(responses[0]?.metadata).toEqual({ subagent: 'scout', supervisor: 'host' });
  });

  it('has its turns counted over the whole call (D21, D54)', async () => {
    const { asked, responses } = await switching([toPlans, toNone, { text: 'So far.' }], {
      maxTurns: 2,
    });

    expect(asked).toHaveLength(3);
    expect(responses[0]?.metadata).toMatchObject({ unavailable: true, error: 'max_iters' });
    expect(responses[0]?.content[0]?.text).toMatch(/^So far\.\n\n\[.*max_iters/);
  });

  it('has its tool calls counted over the whole call (D21, D49)', async () => {
    const { asked } = await switching(
      [toPlans, { calls: { look: { what: 'moon' } } }, { text: '.' }],
      {
        maxToolCalls: 1,
      },
    );

    expect(resultsIn(asked[2])).toEqual([expect.stringContaining('1 tool calls is used up')]);
  });

  it('has its tokens counted over the whole call (D21, D49)', async () => {
    // Each answer is two tokens.
    const { asked, responses } = await switching([toPlans, toNone], { maxTokens: 3 });

    expect(asked).toHaveLength(2);
    expect(responses[0]?.metadata).toMatchObject({ unavailable: true, error: 'budget' });
  });
});
