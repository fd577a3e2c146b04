// Owns what a task sets over its agent's definition: model settings, the need for its own spec, whose limits apply.
import type { AgentDefinition } from '../../agent/definition.ts';
import { hasOwnLimits } from '../../agent/trusted-task.ts';
import type { ModelSettings } from '../../protocol/model-settings.ts';
import type { RunSettings } from '../task.ts';

/** What a task sets wins over its agent's definition, setting by setting. */
export function settingsOf(task: RunSettings, definition: AgentDefinition | null): ModelSettings {
  const temperature = task.temperature ?? definition?.temperature;
  const topP = task.topP ?? definition?.topP;
  const effort = task.effort ?? definition?.effort;
  const toolChoice = task.toolChoice ?? definition?.toolChoice;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(effort === undefined ? {} : { effort }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
}

/** Fields of a task that leave its agent's spec unchanged; any other field makes a spec of its own. */
const outsideSpec: ReadonlySet<string> = new Set([
  'goal',
  'context',
  'agent',
  'name',
  'history',
  'metadata',
]);

export function hasOverrides(task: RunSettings): boolean {
  return Object.entries(task).some(([key, value]) => value !== undefined && !outsideSpec.has(key));
}

/** True for an agent that the operator set up, by name or in a manager's configuration: its limits are its own. */
export function isConfigured(agent: RunSettings['agent']): boolean {
  return typeof agent === 'string' || (agent !== undefined && hasOwnLimits(agent));
}
