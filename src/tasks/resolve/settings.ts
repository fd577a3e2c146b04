// Owns what a run is set to: its agent's definition with what its task sets over it, setting by setting. Pure.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { HookReference } from '../../agent/hooks.ts';
import type { PromptSettings } from '../../agent/prompt/settings.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { Budget } from '../../protocol/budget.ts';
import type { LoopSettings } from '../../protocol/loop-settings.ts';
import type { RunSettings } from '../task.ts';

export type Settings = AgentDefinition & {
  readonly toolsets: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly hooks: readonly HookReference[];
  readonly budget: Budget;
  readonly loop: LoopSettings;
  readonly promptParts: PromptSettings;
};

/** What a task sets wins; toolsets, denials and hooks are those of both, the definition's first. */
export function settingsOf(task: RunSettings, definition: AgentDefinition): Settings {
  return {
    ...definition,
    ...omitUndefined(task),
    // A task's own name is that of its agent in paths and events.
    name: definition.name,
    toolsets: [...(definition.toolsets ?? []), ...(task.toolsets ?? [])],
    disallowedTools: [...(definition.disallowedTools ?? []), ...(task.disallowedTools ?? [])],
    hooks: [definition.hooks ?? [], task.hooks ?? []].flat(),
    budget: { ...definition.budget, ...omitUndefined(task.budget ?? {}) },
    loop: { ...definition.loop, ...omitUndefined(task.loop ?? {}) },
    promptParts: { ...definition.promptParts, ...omitUndefined(task.promptParts ?? {}) },
  };
}

/** Fields of a task that leave its agent's spec unchanged; any other field makes a spec of its own. */
const outsideSpec: ReadonlySet<string> = new Set([
  'goal',
  'context',
  'content',
  'agent',
  'name',
  'history',
  'metadata',
  'idempotencyKey',
]);

export function hasOverrides(task: RunSettings): boolean {
  return Object.entries(task).some(([key, value]) => value !== undefined && !outsideSpec.has(key));
}
