// Checks whom `Agent` tells its caller of: the supervisor's agents with their purposes, in the tree and in a loop of the program.
import { describe, expect, it } from 'vitest';
import { type AgentToolOptions, agentTools } from '#src/dialects/claude-code/index.js';
import type { SupervisorOptions } from '#src/index.js';
import { within } from '../../supervisor/support.ts';
import { directing } from '../../support/directed.ts';

const agents = [
  { name: 'scout', description: 'Looks\n  around.', prompt: 'You look.' },
  { name: 'boss', prompt: 'You rule.' },
];
const mine = { name: 'mine', description: 'Digs.', prompt: 'You dig.' };

type Setup = { readonly given?: AgentToolOptions; readonly options?: Partial<SupervisorOptions> };

/** What the tool says of itself to an agent of the tree, and to a loop of the program. */
const forms = {
  async tree({ given, options }: Setup) {
    const made = directing({}, { agents, tools: agentTools(given), ...options });
    await within(made.supervisor.delegate({ goal: 'plan' }), 'the outcome');
    return made.model.requests('plan')[0]?.tools.find(({ name }) => name === 'Agent')?.description;
  },
  async child({ given, options }: Setup) {
    const limits = { maxSpawnDepth: 2 };
    const made = directing(
      { plan: [{ calls: [['Agent', { description: 'a', prompt: 'part' }]] }, { text: 'ok' }] },
      { agents, tools: agentTools(given), limits, ...options },
    );
    await within(made.supervisor.delegate({ goal: 'plan' }), 'the outcome');
    return made.model.requests('part')[0]?.tools.find(({ name }) => name === 'Agent')?.description;
  },
  async toolbox({ given, options }: Setup) {
    const { supervisor } = directing({}, { agents, ...options });
    const tools = supervisor.session('chat').tools(agentTools({ ...given }));
    return tools.definitions.openai.find(({ function: { name } }) => name === 'Agent')?.function
      .description;
  },
};

describe.each(['tree', 'child', 'toolbox'] as const)('Agent in the %s', (form) => {
  it.each([
    ['every agent of the supervisor', undefined, ['- scout: Looks around.', '- boss']],
    [
      'those that the program names, with their descriptions of the catalogue',
      { agents: ['scout', mine] },
      ['- scout: Looks around.', '- mine: Digs.'],
    ],
  ])('lists %s', async (_what, given, lines) => {
    const text = await forms[form](given === undefined ? {} : { given });

    expect(text?.split('\n').filter((line) => line.startsWith('- '))).toEqual(lines);
    expect(text).toContain('subagent_type is one of:');
  });
});

it.each(['tree', 'toolbox'] as const)(
  'Agent in the %s says nothing of types where there is none',
  async (form) => {
    const text = await forms[form]({ options: { agents: [] } });

    expect(text).toMatch(/^Start a subagent/);
    expect(text).not.toContain('subagent_type');
  },
);

it('lists for an agent those alone that it may delegate to, and that a type is needed (X7)', async () => {
  const lead = { name: 'lead', prompt: 'You lead.', delegates: ['scout'] };
  const { supervisor, model } = directing({}, { agents: [lead, ...agents], tools: agentTools() });

  await within(supervisor.delegate({ goal: 'plan', agent: 'lead' }), 'the outcome');

  const text = model.requests('plan')[0]?.tools.find(({ name }) => name === 'Agent')?.description;
  expect(text?.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    '- scout: Looks around.',
  ]);
  expect(text).toContain('A call without subagent_type is refused here.');
});
