// Checks what the orchestrator of a job with roles is told of the levels below it.
import { expect, it } from 'vitest';
import { orchestratorOf } from '#src/cli/orchestrator.js';

it.each([
  [1, /at depth 0 of 1: your subagents cannot delegate/, false],
  [2, /at depth 0 of 2: those with the role orchestrator may/, true],
])(
  'with %i levels it is told of orchestrators below where there can be some (C27, C28)',
  (maxDepth, expected, has) => {
    const roles = { maxDepth, children: 3 };
    const agent = orchestratorOf({ roles, toolsets: ['file'], maxTurns: 5 })?.('goal', []).agent;
    const prompt = typeof agent === 'object' ? agent.prompt : undefined;

    expect(prompt).toMatch(expected);
    expect(prompt?.includes('the task of an orchestrator')).toBe(has);
  },
);
