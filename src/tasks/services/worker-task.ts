// Owns which fields a thread may set on a task that it hands over; their values are checked with the task.
import { z } from 'zod';
import { parseOptions } from '../../base/parse-options.ts';
import type { Subtask } from '../../tools/tool.ts';

const any = z.unknown().optional();

const threadTaskSchema = z.strictObject({
  goal: any,
  context: any,
  agent: z
    .string('expected the name of a defined agent; a definition comes from a tool of the service')
    .optional(),
  name: any,
  toolsets: any,
  maxTurns: any,
  history: any,
  metadata: any,
});

/** Throws `invalid_task` for a model, tools, a folder, limits or a definition of the thread's own (W9). */
export function checkThreadTask(value: unknown, index = 0): Subtask {
  const what = index === 0 ? 'task' : `task ${index}`;
  // The fields are those of the type; the scheduler checks their values.
  return parseOptions(threadTaskSchema, value, what, 'invalid_task') as Subtask;
}
