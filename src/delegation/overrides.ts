// Owns the settings of a run's model calls: those of its task over those of its agent's definition.
import type { AgentDefinition } from '../agent/definition.ts';
import type { ModelSettings } from '../models/model.ts';
import type { RunSettings } from './task.ts';

/** What a task sets wins over its agent's definition, setting by setting. */
export function settingsOf(task: RunSettings, definition: AgentDefinition | null): ModelSettings {
  const temperature = task.temperature ?? definition?.temperature;
  const topP = task.topP ?? definition?.topP;
  const effort = task.effort ?? definition?.effort;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(effort === undefined ? {} : { effort }),
  };
}
