// Checks what `delegate_task` tells of depth and width: the limits that hold, and to nobody that it may delegate when it may
// not (C10, C25 to C30).
import { describe, expect, it } from 'vitest';
import { type DelegateTaskOptions, delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import type { SupervisorOptions } from '#src/index.js';
import { within } from '../../supervisor/support.ts';
import { directing, envelopeIn, type Parts, resultsIn, toolsOf } from '../../support/directed.ts';

type Limits = NonNullable<SupervisorOptions['limits']>;

const asked = (goal: string) =>
  ['delegate_task', { goal, toolsets: [], role: 'orchestrator' }] as const;
const parts: Parts = {
  plan: [{ calls: [asked('part')] }, { text: 'ok' }],
};

/** Runs an agent that delegates to an orchestrator; what each was told. */
async function inTree(dialect: DelegateTaskOptions, limits: Limits) {
  const made = directing(parts, { tools: [delegateTaskTool(dialect)], limits });
  await within(made.supervisor.delegate({ goal: 'plan' }), 'the outcome');
  const [first, second] = made.model.requests('plan');
  return {
    ...made,
    root: first?.tools.find(({ name }) => name === 'delegate_task')?.description,
    system: made.model.requests('part')[0]?.system,
    child: made.model.requests('part')[0]?.tools.find(({ name }) => name === 'delegate_task')
      ?.description,
    result: resultsIn(second)[0],
  };
}

/** The same text as a loop of the program is shown it. */
function inToolbox(dialect: DelegateTaskOptions, limits: Limits): string | undefined {
  const { supervisor } = directing({}, { limits });
  const tools = supervisor.session('chat').tools(delegateTaskTool({ ...dialect }));
  return tools.definitions.anthropic[0]?.description;
}

const none = /your subagents cannot delegate in turn/;
const some = /those with the role orchestrator may delegate in turn/;

describe('delegate_task', () => {
  it.each<[string, DelegateTaskOptions, Limits, number, number, RegExp]>([
    ['the supervisor’s by default', {}, {}, 3, 1, none],
    ['the supervisor’s', {}, { maxSpawnDepth: 2, maxConcurrentChildren: 5 }, 5, 2, some],
    ['its own', { maxSpawnDepth: 2, maxConcurrentChildren: 2 }, { maxSpawnDepth: 3 }, 2, 2, some],
    [
      'the smaller',
      { maxSpawnDepth: 3, maxConcurrentChildren: 9 },
      { maxSpawnDepth: 1 },
      3,
      1,
      none,
    ],
    ['no orchestrators', { orchestratorEnabled: false }, { maxSpawnDepth: 3 }, 3, 3, none],
  ])(
    'states %s in the tree and in a loop (C10, C26, C30)',
    async (_what, dialect, limits, width, depth, below) => {
      for (const text of [(await inTree(dialect, limits)).root, inToolbox(dialect, limits)]) {
        expect(text).toContain(`At most ${width} tasks in one call`);
        expect(text).toContain(`You are at depth 0 of ${depth}: `);
        expect(text).toMatch(below);
      }
    },
  );

  it('tells an orchestrator of its own depth, in its prompt and in its tool (C28)', async () => {
    const { system, child } = await inTree({ maxSpawnDepth: 3 }, { maxSpawnDepth: 2 });

    expect(system).toContain('You may hand parts of the task to subagents of your own');
    for (const text of [system, child]) {
      expect(text).toContain('You are at depth 1 of 2: your subagents cannot delegate in turn.');
    }
  });

  it.each<[string, DelegateTaskOptions, Limits, RegExp]>([
    ['the supervisor’s depth', {}, {}, /no agent delegates at this depth/],
    ['the supervisor’s, which is below its own', { maxSpawnDepth: 3 }, {}, /at this depth/],
    ['its own depth', { maxSpawnDepth: 1 }, { maxSpawnDepth: 3 }, /no agent delegates at depth 1/],
    ['a switch', { orchestratorEnabled: false }, { maxSpawnDepth: 3 }, /no orchestrators here/],
  ])(
    'tells no child that it may delegate beyond %s, and warns (C27, C30)',
    async (_what, dialect, limits, why) => {
      const { system, result, model } = await inTree(dialect, limits);

      expect(toolsOf(model, 'part')).toEqual([]);
      expect(system).not.toMatch(/delegate_task|subagents of your own|at depth/);
      const { warnings } = envelopeIn({ content: result?.[0], isError: result?.[1] === true });
      expect(warnings).toEqual([expect.stringMatching(why)]);
      expect(warnings?.[0]).toMatch(/^role "orchestrator" has no effect/);
    },
  );

  it('warns a loop of the program too (C27)', async () => {
    const { supervisor } = directing({});
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const result = await within(tools.call(...asked('part')), 'the result');

    expect(envelopeIn(result).warnings).toEqual([
      expect.stringMatching(/^role "orchestrator" has no effect: no agent delegates at this depth/),
    ]);
  });

  it('warns the program that asks for one at the limit, of a task and of a definition (C27)', async () => {
    const { supervisor } = directing({}, { limits: { maxSpawnDepth: 0 } });
    const agent = { name: 'lead', role: 'orchestrator' as const };

    const outcomes = await within(
      Promise.all([
        supervisor.delegate({ goal: 'a', role: 'orchestrator' }),
        supervisor.delegate({ goal: 'b', agent }),
      ]),
      'the outcomes',
    );

    for (const { warnings } of outcomes) {
      expect(warnings).toEqual([expect.stringMatching(/^role "orchestrator" has no effect/)]);
    }
  });
});
