// Owns one session: what outlives a run of the program's own loop. So far the tools that loop is given, and runs in its name.
import type { Task } from '../delegation/task.ts';
import type { Outcome } from '../outcome.ts';
import type { AnyTool } from '../tools/tool.ts';
import { Toolbox, type ToolCaller } from './toolbox.ts';

/** What a session needs of its supervisor. */
export type SessionSurroundings<Dialects> = {
  readonly toolsOf: (dialect: Dialects) => readonly AnyTool[];
  readonly caller: ToolCaller;
  run(task: Task, options?: { readonly signal?: AbortSignal }): Promise<Outcome>;
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'>;
  warn(message: string): void;
};

/** A session of a supervisor, named by the program. `Dialects` are the ways its tools can be shaped. */
export class Session<Dialects> {
  readonly id: string;
  /** Told ahead of every scope's conversation: where it is and what it has. Undefined, the default, for nothing (B14). */
  environment: string | undefined = undefined;
  readonly #around: SessionSurroundings<Dialects>;

  constructor(id: string, around: SessionSurroundings<Dialects>) {
    this.id = id;
    this.#around = around;
  }

  /** Tools for the program's own loop, as a dialect shapes them. Throws `invalid_options` naming what is wrong with it. */
  tools(dialect: Dialects): Toolbox {
    const { toolsOf, caller } = this.#around;
    return new Toolbox(toolsOf(dialect), caller);
  }

  /** Runs a task in the session's name; as `Supervisor.delegate` does. */
  run(task: Task, options?: { readonly signal?: AbortSignal }): Promise<Outcome> {
    return this.#around.run(task, options);
  }

  /** Whether a registered tool would ask a person first. Rejects `unknown_tool`. */
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'> {
    return this.#around.needsConfirmation(tool);
  }

  /** Tells whoever watches the supervisor, as a `log` event. */
  warn(message: string): void {
    this.#around.warn(message);
  }
}
