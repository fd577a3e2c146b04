// Checks which place of a stack is shown: the first in code of the program, never one of our own.
import { expect, it } from 'vitest';
import { placeIn } from '#src/base/stack.js';

const own = import.meta.resolve('#src/tasks/state.js');
const thread = import.meta.resolve('#workers/worker-main.js');

it.each([
  ['a file of the package', `${own}:3:5`],
  ['the entry of a thread', `${thread}:3:5`],
  ['Node', 'node:internal/process/task_queues:95:5'],
])('passes %s over and shows the place in the program (C14)', (_, frame) => {
  const stack = `Error: no\n    at run (${frame})\n    at main (file:///home/me/service.mjs:7:11)`;

  expect(placeIn(stack)).toBe('/home/me/service.mjs:7:11');
  expect(placeIn(`Error: no\n    at run (${frame})`)).toBeNull();
});
