// Owns what a list of todos is: its items, what is wrong with one, how a model reads it. Pure.
import { isRecord } from '../../base/is-record.ts';
import { decoded } from '../../base/json-text.ts';
import { listOf, type ObjectOf, objectSchema, oneOf, text } from './object-schema.ts';

export const todoToolName = 'todo_write';

const maxTodos = 100;
const maxContentChars = 500;

const fields = {
  todos: listOf(
    'The whole list, which replaces the earlier one; empty clears it.',
    {
      content: text('What is to be done, in one line.', maxContentChars),
      status: oneOf('How far it is; at most one is in_progress.', [
        'pending',
        'in_progress',
        'completed',
      ]),
    },
    maxTodos,
    0,
  ),
};

export const todoInput = objectSchema(fields);

export type Todos = ObjectOf<typeof fields>['todos'];

/** What is wrong with a list that fits the schema; null when it can be kept. */
export function todoFault(todos: Todos): string | null {
  const blank = todos.findIndex(({ content }) => content.trim() === '');
  if (blank >= 0) return `todos[${blank}].content is blank; say what is to be done`;
  const current = todos.flatMap(({ status }, index) => (status === 'in_progress' ? [index] : []));
  if (current.length <= 1) return null;
  return `todos ${current.join(', ')} are in_progress; at most one may be`;
}

/** The list as its agent reads it, a line for each. */
export function todoText(todos: Todos): string {
  if (todos.length === 0) return '(the list is empty)';
  const lines = todos.map(({ content, status }) => {
    const line = content.trim().replace(/\s+/g, ' ');
    return status === 'in_progress'
      ? `- [ ] ${line} (in progress)`
      : `- [${status === 'completed' ? 'x' : ' '}] ${line}`;
  });
  return lines.join('\n');
}

/** The list that a call of the tool wrote, by the input in its conversation; null when that is none. */
export function todosIn(input: unknown): Todos | null {
  const todos = isRecord(input) ? decoded(input['todos']) : undefined;
  // What the field lets through is what it describes.
  return fields.todos.complain(todos) === null ? (todos as Todos) : null;
}
