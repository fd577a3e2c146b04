// A thread tool that computes for 20 ms.
import { z } from 'zod';
import { defineTool } from '#src/tool.js';

export const add = defineTool({
  name: 'add',
  description: 'Adds two numbers, after some thought.',
  input: z.object({ a: z.number(), b: z.number() }),
  run({ a, b }) {
    const until = process.cpuUsage();
    while (usedMs(until) < 20);
    return String(a + b);
  },
});

function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
