// Owns what a toolset is: a named group of tools.
import type { AnyTool } from './tool.ts';

/** A named group of tools. */
export type Toolset<T = AnyTool> = {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly T[];
};
