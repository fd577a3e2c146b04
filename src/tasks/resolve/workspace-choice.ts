// Owns which folder a run works in (X18): its task's, its definition's, its parent's, the supervisor's. Decides no write scope.
import type { AgentDefinition } from '../../agent/definition.ts';
import { isFolder } from '../../agent/folder-schema.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Task } from '../task.ts';

/** A child that names no folder works in its parent's: delegation leads out of no workspace by itself. */
export function workspaceOf(
  task: Pick<Task, 'workspace'>,
  definition: Pick<AgentDefinition, 'workspace'> | null,
  above: string,
): string {
  return task.workspace ?? definition?.workspace ?? above;
}

/** Looked at for each task: a definition may be older than its folder, or outlive it. Throws `invalid_agent`. */
export function checkWorkspace(definition: AgentDefinition | null): void {
  const workspace = definition?.workspace;
  if (definition === null || workspace === undefined || isFolder(workspace)) return;
  const seen = describe(workspace);
  throw new TroupeError(
    'invalid_agent',
    `agent ${definition.name}: workspace is ${seen}: expected a folder that exists`,
    { detail: { field: 'workspace', seen } },
  );
}
