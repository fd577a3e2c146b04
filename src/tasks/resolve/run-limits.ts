// Owns how many turns, tokens and milliseconds a run may take: which of the given limits applies. Pure.
import type { AgentDefinition } from '../../agent/definition.ts';
import { hasOwnLimits } from '../../agent/trusted-task.ts';
import type { RunSettings } from '../task.ts';

export type RunLimits = {
  readonly maxTurns: number;
  /** Of one answer of its model; undefined for the model's own limit. */
  readonly maxOutputTokens: number | undefined;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
};

/** The limits of a run where none is set. */
export type DefaultLimits = Omit<RunLimits, 'maxOutputTokens'>;

type Limits = { readonly [Name in keyof RunLimits]?: RunLimits[Name] | undefined };

/**
 * The limits of a task of the program, which has no `ceilings`: what is nearest to the run, task, definition, default. What a
 * tool asks for only narrows: the least of its task's limit, its agent's and the program's on the supervisor, the ceiling.
 * Only an agent that the operator configured may exceed that, for itself.
 */
export function runLimits(
  task: RunSettings,
  definition: AgentDefinition,
  defaults: DefaultLimits & Limits,
  ceilings: Limits | null,
): RunLimits {
  const limit = (name: keyof RunLimits): number | undefined => {
    const own = definition[name];
    const usual = own ?? defaults[name];
    if (ceilings === null) return task[name] ?? usual;
    const isOwn = own !== undefined && isConfigured(task.agent);
    return least(task[name], usual, isOwn ? own : ceilings[name]);
  };
  return {
    maxTurns: limit('maxTurns') ?? defaults.maxTurns,
    maxOutputTokens: limit('maxOutputTokens'),
    idleTimeoutMs: limit('idleTimeoutMs') ?? defaults.idleTimeoutMs,
    totalTimeoutMs: limit('totalTimeoutMs'),
  };
}

/** True for an agent that the operator set up, by name or in a manager's configuration: its limits are its own. */
function isConfigured(agent: RunSettings['agent']): boolean {
  return typeof agent === 'string' || (agent !== undefined && hasOwnLimits(agent));
}

/** The smallest of the values that are set. */
function least(...values: readonly (number | undefined)[]): number | undefined {
  const set = values.filter((value) => value !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
