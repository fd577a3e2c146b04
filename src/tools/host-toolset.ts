// Owns toolsets whose tools run on the host and may keep something per agent: how they are opened, and closed with it.
import type { AnyTool } from './tool.ts';
import type { Toolset } from './toolset.ts';

/** Whom an open toolset serves. */
export type ToolsetOwner = {
  /** The agent's id, name and path. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The folder the agent works in, absolute. */
  readonly workspace: string;
};

/** A toolset as one agent has it. */
export type OpenToolset = {
  /** The tools, of the names the toolset declared. */
  readonly tools: readonly AnyTool[];
  /**
   * The agent has ended, or the run that used the tools was stopped: ends what they started, with `force` without a grace
   * period. Called a second time, with `force`, when the first call takes too long. Resolves when nothing is left. A
   * supervisor that closes waits for it at most 10 s on its clock.
   */
  close(options: { readonly force: boolean }): Promise<void>;
};

/** A toolset of host tools. `tools` lists them; `open` returns the ones to call, once per agent that calls. */
export type HostToolset = Toolset & { open(owner: ToolsetOwner): OpenToolset };

/** A host toolset without anything of its own per agent. */
export function statelessToolset(toolset: Toolset): HostToolset {
  const open: OpenToolset = { tools: toolset.tools, close: async () => {} };
  return { ...toolset, open: () => open };
}
