// Owns the `todo` toolset: a list of todos that its agent writes whole. The conversation is where it is kept.
import { TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import type { Toolset } from '../toolset.ts';
import { todoFault, todoInput, todoText, todoToolName } from './todo-list.ts';

/** Answers with the list, and reports it as progress: the fraction that is completed, and what is in progress. */
const todoTool = defineTool({
  name: todoToolName,
  description:
    'Writes your list of todos, whole: what you leave out is gone. For work of several steps; write it again whenever a ' +
    'step begins or ends. At most one todo is in_progress.',
  input: todoInput,
  idempotent: true,
  tags: ['todo'],
  run({ todos }, tool) {
    const fault = todoFault(todos);
    if (fault !== null) throw new TroupeError('tool_arguments_invalid', fault);
    const completed = todos.filter(({ status }) => status === 'completed').length;
    const current = todos.find(({ status }) => status === 'in_progress');
    if (todos.length > 0) tool.progress(completed / todos.length, current?.content);
    return todoText(todos);
  },
});

export const todoToolset: Toolset = {
  name: 'todo',
  description: 'Keep a list of todos.',
  tools: [todoTool],
};
