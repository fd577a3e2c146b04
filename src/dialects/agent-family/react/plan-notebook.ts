// Owns what an agent needs of a plan notebook: its tools and its hints (D21).
import type { AnyTool } from '../../../tools/tool.ts';
import type { Stateful } from '../base/state.ts';

/** A plan that an agent makes, follows and changes by tools. */
export interface PlanNotebook extends Stateful {
  readonly description: string;
  tools(): readonly AnyTool[];
  /** What the agent is reminded of ahead of its next step; null for nothing. */
  hint(): string | null;
}
