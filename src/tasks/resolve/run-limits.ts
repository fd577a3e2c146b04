// Owns how many turns, tokens and milliseconds a run may take: which of the given limits applies. Pure.

export type RunLimits = {
  readonly maxTurns: number;
  readonly maxOutputTokens: number | undefined;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
};

/** The limits of a run where none is set. */
export type DefaultLimits = Pick<RunLimits, 'maxTurns' | 'idleTimeoutMs' | 'totalTimeoutMs'>;

type Limits = Partial<Omit<RunLimits, 'maxOutputTokens'>> & { readonly maxOutputTokens?: never };

/**
 * The limits of a task of the program: what is nearest to the run, task, definition, default. What a tool asks for only
 * narrows: the least of its task's limit, its agent's and the program's on the supervisor. Only an agent that the
 * operator configured may exceed that, for itself.
 */
export function runLimits(facts: {
  readonly task: Partial<RunLimits>;
  readonly definition: Partial<RunLimits> | null;
  readonly defaults: Limits & DefaultLimits;
  /** What the program set; null for a task of the program. */
  readonly ceilings: Limits | null;
  readonly isConfigured: boolean;
}): RunLimits {
  const { task, definition, defaults, ceilings, isConfigured } = facts;
  const limit = (name: keyof RunLimits): number | undefined => {
    const own = definition?.[name];
    const usual = own ?? defaults[name];
    if (ceilings === null) return task[name] ?? usual;
    return least(task[name], usual, isConfigured && own !== undefined ? own : ceilings[name]);
  };
  return {
    maxTurns: limit('maxTurns') ?? defaults.maxTurns,
    maxOutputTokens: limit('maxOutputTokens'),
    idleTimeoutMs: limit('idleTimeoutMs') ?? defaults.idleTimeoutMs,
    totalTimeoutMs: limit('totalTimeoutMs'),
  };
}

/** The smallest of the values that are set. */
function least(...values: readonly (number | undefined)[]): number | undefined {
  const set = values.filter((value) => value !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
