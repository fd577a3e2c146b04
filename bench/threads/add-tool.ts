// A thread tool that does next to nothing, with a schema of zod as most tools have.
import { z } from 'zod';
import { defineTool } from '#src/tool.js';

export const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String(a + b),
});
