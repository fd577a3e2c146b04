// A thread tool that spins and hears no interrupt. Imports no schema library, as the bare spinners beside it import none.
import { defineTool } from '#src/tool.js';
import { spinForEver } from './spin-for-ever.ts';

export const spin = defineTool({
  name: 'spin',
  description: 'Spins until its thread is ended.',
  input: {
    '~standard': {
      version: 1,
      vendor: 'troupe-bench',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object', properties: {} }) },
    },
  },
  run(_input, tool) {
    spinForEver(() => tool.progress(1));
  },
});
