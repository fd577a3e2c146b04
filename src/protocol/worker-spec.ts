// Owns what all activations of one agent spec share: a worker slot is sent it once. Types only.
import type { PlannedHooks } from './hooks.ts';
import type { LoopSettings } from './loop-settings.ts';
import type { MemoryLimits } from './memory-limits.ts';
import type { Preamble } from './preamble.ts';
import type { Outputs } from './required-outputs.ts';
import type { ToolDescription } from './tool-description.ts';
import type { ToolSettings } from './tool-settings.ts';

export type GrantedTool = ToolDescription & {
  /** Where it runs. */
  readonly where: 'thread' | 'host';
  /** A person has to approve each call, whatever the tool itself declares. */
  readonly isApprovalRequired?: true;
};

/** What all activations of one agent spec share: sent to a worker slot once. Prompts are not sent to threads (W9). */
export type WorkerSpec = {
  /** The effective tools, in their stable order. */
  readonly tools: readonly GrantedTool[];
  /** Modules whose exported tools the granted thread tools are taken from. */
  readonly toolModules: readonly string[];
  /** Built-in toolsets, by name. */
  readonly toolsets: readonly string[];
  readonly workspace: string;
  readonly toolSettings: ToolSettings;
  readonly maxTurns: number;
  /** Variables a run has to emit before it ends (B15 to B22). */
  readonly outputs?: Outputs;
  /** The tool whose arguments are the answer, and how often a wrong one may be corrected (D19). */
  readonly answer?: { readonly tool: string; readonly maxCorrections: number };
  /** The messages before and after its memory in each run (B14, A56). */
  readonly opening?: Preamble;
  readonly memory?: MemoryLimits;
  /** What its runs commit is written down: they go on once that is durable. */
  readonly isDurable?: true;
  /** What is called around its runs, in this order; missing when nothing is. */
  readonly hooks?: readonly PlannedHooks[];
} & Omit<LoopSettings, 'maxCorrections'>;
