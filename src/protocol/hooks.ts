// Owns the names of hooks, which of them an agent has, and what they may answer.
import type { Message } from './history.ts';

export const hookNames = [
  'beforeRun',
  'afterRun',
  'beforeTurn',
  'afterTurn',
  'beforeTool',
  'afterTool',
] as const;

export type HookName = (typeof hookNames)[number];

/** A checked answer of a hook; null when it requests nothing. */
export type HookAnswer =
  | { readonly deny: string }
  | { readonly append: string }
  | { readonly messages: readonly Message[] }
  | { readonly input: unknown }
  | { readonly result: string }
  | null;

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
