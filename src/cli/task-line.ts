// Owns one line of a file of tasks: the task it defines, or what is wrong with it.
import { type FailureCode, TroupeError } from '../base/failures.ts';
import type { Task } from '../index.ts';
import type { BadLine, JobItem } from './open-job.ts';
import { filesOutside, outsideText } from './outside-files.ts';
import { labelOf, oneLine } from './text.ts';

export type TaskLine =
  | { readonly type: 'item'; readonly item: JobItem }
  | { readonly type: 'blank' }
  | ({ readonly type: 'bad' } & BadLine);

export type TaskLineOptions = {
  /** The folder of tasks that name none of their own. */
  readonly cwd: string;
  /** For tasks that name none of their own. */
  readonly toolsets: readonly string[];
  /** Throws what is wrong with a task. */
  check(task: Task): void;
};

/** The file and the number of a line. */
export type LinePlace = { readonly path: string; readonly number: number };

/** Reads one line; `metadata.file`, when it is there, becomes the `file` of its result. */
export function readTaskLine(
  line: string,
  { path, number }: LinePlace,
  { cwd, toolsets, check }: TaskLineOptions,
): TaskLine {
  if (line.trim() === '') return { type: 'blank' };
  const bad = (message: string, code: FailureCode = 'invalid_task', goal = ''): TaskLine => {
    const text = `${path}:${number}: ${oneLine(message)}`;
    return { type: 'bad', input: path, number, goal, code, message: text };
  };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return bad(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('not a task: expected an object with a "goal"');
  }
  const goal = 'goal' in value && typeof value.goal === 'string' ? value.goal : '';
  // The check is what makes it a task; a field that is no data of a task is named by it.
  const task = { toolsets, ...value } as Task;
  try {
    check(task);
  } catch (error) {
    if (error instanceof TroupeError) return bad(error.message, error.code, goal);
    throw error;
  }
  const file = task.metadata?.['file'];
  const folder = task.workspace ?? cwd;
  const named = typeof file === 'string' && file !== '' ? [file] : [];
  const outside = filesOutside(named, { folder, toolsets: task.toolsets ?? [] });
  if (outside.length > 0) {
    return bad(`metadata.file is ${outsideText(outside, folder)}`, 'outside_workspace', goal);
  }
  const label = typeof file === 'string' ? oneLine(file) : labelOf(task.name ?? task.goal);
  const item = { task, label, input: path, line: number };
  return { type: 'item', item: typeof file === 'string' ? { ...item, file } : item };
}
