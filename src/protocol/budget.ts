// Owns what a model call may take and what it took. Types only.

/** What may be used together; what is left out has no limit. */
export type Budget = {
  /** Responses of models. */
  readonly maxTurns?: number;
  /** Tokens, input and output. */
  readonly maxTokens?: number;
  /** In US dollars, by the models' prices. */
  readonly maxCostUsd?: number;
  /**
   * From four fifths of a limit on, each request of a model ends with a note that says how much of it is used. Default false.
   */
  readonly warnModel?: boolean;
};

/** Of all tasks of one call, of a root task with all below it, of a task with all below it, of one run alone. */
export type BudgetScope = 'job' | 'tree' | 'task' | 'agent';

/** What the calls of several runs are counted under. */
export type BudgetAccount = {
  readonly id: string;
  readonly scope: BudgetScope;
  readonly limits: Budget;
};

/** What a call takes, or took; `costUsd` is null where no price is known. */
export type Spend = {
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number | null;
};

/** A limit of which at least four fifths are spent. */
export type NearLimit = {
  readonly scope: BudgetScope;
  readonly limit: 'maxTurns' | 'maxTokens' | 'maxCostUsd';
  readonly used: number;
  readonly max: number;
};
