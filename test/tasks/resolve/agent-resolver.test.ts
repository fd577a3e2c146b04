// Checks what the plans of tasks share: thousands of agents of one definition have one plan among them.
import { expect, it } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import { defineAgent } from '#src/index.js';
import { AgentResolver } from '#src/tasks/resolve/agent-resolver.js';
import { scripted } from '#src/testing.js';

const resolver = () =>
  new AgentResolver({
    clock: systemClock,
    model: scripted({ default: [] }),
    agents: [{ name: 'named' }],
    skills: [],
    approval: {},
    tools: [],
    toolSettings: {},
    toolsets: [],
    defaults: { maxTurns: 5, idleTimeoutMs: 1, totalTimeoutMs: undefined, workspace: '/' },
    ceilings: {},
    credentials: [],
    pricing: { prices: {}, table: { price: () => null, missing: null }, isLimited: false },
    env: {},
    isDurable: false,
    profiles: { base: {}, named: {} },
    limits: { maxSpawnDepth: 1, maxConcurrentChildren: 3 },
    modules: { describe: async () => [], describeHooks: async () => [] },
  });

it('one definition has one plan, whoever names it, until a task sets something of its own', () => {
  const agents = resolver();
  const mine = defineAgent({ name: 'mine', prompt: 'One.' });
  const first = agents.specOf({ agent: mine });

  expect(agents.specOf({ agent: mine })).toBe(first);
  expect(agents.specOf({ agent: 'named' })).toBe(agents.specOf({ agent: 'named' }));
  expect(agents.specOf({})).toBe(agents.specOf({}));
  // The same words are not the same definition, nor is what a task changes the same plan.
  expect(agents.specOf({ agent: defineAgent({ name: 'mine', prompt: 'One.' }) })).not.toBe(first);
  expect(agents.specOf({ agent: mine, maxTurns: 9 }).shared.maxTurns).toBe(9);
  expect(agents.specOf({ agent: mine }, { parent: undefined, depth: 1 })).not.toBe(first);
  expect(agents.specOf({ agent: mine })).toBe(first);
});
