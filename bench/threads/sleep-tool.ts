// A thread tool that awaits as long as a turn of the model takes.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from '#src/tool.js';

export const add = defineTool({
  name: 'add',
  description: 'Adds two numbers, late.',
  input: z.object({ a: z.number(), b: z.number() }),
  async run({ a, b }) {
    await sleep(250);
    return String(a + b);
  },
});
