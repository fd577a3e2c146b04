// Owns the question whether a task sets anything of its agent: a plan of one that does not serves the next task too.
import { hasToolSettings } from '../agent/tool-settings.ts';
import type { RunSettings } from './task.ts';

/** True when the task's plan is its own. */
export function hasOverrides(task: RunSettings): boolean {
  return (
    task.model !== undefined ||
    task.tools !== undefined ||
    task.disallowedTools !== undefined ||
    task.toolsets !== undefined ||
    task.maxTurns !== undefined ||
    task.maxOutputTokens !== undefined ||
    task.idleTimeoutMs !== undefined ||
    task.totalTimeoutMs !== undefined ||
    task.workspace !== undefined ||
    task.outputSchema !== undefined ||
    task.outputs !== undefined ||
    task.loop !== undefined ||
    task.promptParts !== undefined ||
    task.skills !== undefined ||
    task.initialMessages !== undefined ||
    task.memory !== undefined ||
    hasToolSettings(task)
  );
}
