// Owns toolsets whose tools run on the host and may keep something per agent: how they are opened, and closed with it.
import type { AnyTool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

/** Whom an open toolset serves. */
export type ToolsetOwner = {
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The folder the agent works in, absolute. */
  readonly workspace: string;
};

/** A toolset as one agent has it. */
export type OpenToolset = {
  /** The tools, of the names the toolset declared. */
  readonly tools: readonly AnyTool[];
  /**
   * The agent is over, or the run that used them was ended: what they started ends. With `now` without any grace.
   * Called again to hurry. Resolves when nothing is left. A supervisor that closes waits 10 s for it at most, on its clock.
   */
  close(how: 'gently' | 'now'): Promise<void>;
};

/** A toolset of host tools. `tools` says what there is; what is called comes from `open`, once per agent that calls. */
export type HostToolset = Toolset & { open(owner: ToolsetOwner): OpenToolset };

/** A host toolset without anything of its own per agent. */
export function statelessToolset(toolset: Toolset): HostToolset {
  const open: OpenToolset = { tools: toolset.tools, close: async () => {} };
  return { ...toolset, open: () => open };
}
