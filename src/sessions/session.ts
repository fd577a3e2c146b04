// Owns one session: what outlives a run of the program's own loop. So far the tools that loop is given.
import type { AnyTool } from '../tools/tool.ts';
import { Toolbox, type ToolCaller } from './toolbox.ts';

/** A session of a supervisor, named by the program. `Dialects` are the ways its tools can be shaped. */
export class Session<Dialects> {
  readonly id: string;
  readonly #toolsOf: (dialect: Dialects) => readonly AnyTool[];
  readonly #caller: ToolCaller;

  constructor(
    id: string,
    around: {
      readonly toolsOf: (dialect: Dialects) => readonly AnyTool[];
      readonly caller: ToolCaller;
    },
  ) {
    this.id = id;
    this.#toolsOf = around.toolsOf;
    this.#caller = around.caller;
  }

  /** Tools for the program's own loop, as a dialect shapes them. Throws `invalid_options` naming what is wrong with it. */
  tools(dialect: Dialects): Toolbox {
    return new Toolbox(this.#toolsOf(dialect), this.#caller);
  }
}
