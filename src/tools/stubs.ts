// Owns the port by which a test replaces the code of tools: what takes their place is asked for by tool. Types only.
import type { ToolDescription } from '../protocol/tool-description.ts';
import type { AnyTool } from './tool.ts';

/** Tools that take the place of others; made by `stubTools` of `troupe/testing`. */
export type ToolStubs = {
  readonly kind: 'tool_stubs';
  /** The tools that are replaced. */
  readonly names: readonly string[];
  /** What takes the tool's place, the same object for the same tool; null when nothing does. A tool of a module comes as its description. */
  stubOf(tool: AnyTool | ToolDescription): AnyTool | null;
};
