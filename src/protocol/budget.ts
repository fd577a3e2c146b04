// Owns what a model call may take and what it took. Types only.

/** Limits of one account; what is left out has none. */
export type BudgetLimits = {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
};

/** The budgets a call is under: its agent's own and that of its tree. */
export type Budget = { readonly agent?: BudgetLimits; readonly tree?: BudgetLimits };

/** What a call takes, or took; `costUsd` is null where no price is known. */
export type Spend = {
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number | null;
};
