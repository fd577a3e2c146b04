// Owns the names of hooks, and which of them an agent has.

export const hookNames = [
  'beforeRun',
  'afterRun',
  'beforeTurn',
  'afterTurn',
  'beforeTool',
  'afterTool',
] as const;

export type HookName = (typeof hookNames)[number];

/** One tool call, as it goes to the tool. */
export type ToolCallInfo = {
  /** The turn that asked for it, from 1. */
  readonly turn: number;
  /** The model's id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** As the model gave it, or as an earlier hook replaced it. */
  readonly input: unknown;
};

/** One hook reference of an agent spec, by its place: the hooks that exist, and where they run. */
export type PlannedHooks = {
  readonly names: readonly HookName[];
  /** The module they are in, in the agent's thread; missing when they run on the host. */
  readonly module?: string;
};
