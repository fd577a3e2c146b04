// Owns one session: what outlives a run of the program's own loop. The tools that loop is given, runs in its name,
// background tasks, its board, its subagents, and their ends.
import { z } from 'zod';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import { signalSchema } from '../base/signal-schema.ts';
import type { Background, Completion, WaitOptions } from '../tasks/services/background.ts';
import type { DelegateOptions, Task, TaskHandle } from '../tasks/task.ts';
import type { BackgroundTask } from '../tools/tool.ts';
import type { Board } from './board.ts';
import type { RunEnd, SessionEnd } from './run-end.ts';
import { Toolbox, type ToolCaller, type ToolSource } from './toolbox.ts';

const waitSchema = z.strictObject({
  timeoutMs: z.number().min(0).optional(),
  signal: signalSchema.optional(),
});

/** What a session needs of its supervisor. */
export type SessionOptions2<Dialects, Subagents> = {
  readonly toolsOf: (dialect: Dialects) => ToolSource;
  /** Made when first asked for. */
  readonly subagents: () => Subagents;
  beginRun(): void;
  endRun(): RunEnd;
  reset(): Promise<SessionEnd>;
  readonly caller: ToolCaller;
  readonly background: Background;
  readonly board: Board;
  start(task: Task, options?: DelegateOptions): TaskHandle;
  run(task: Task, options?: DelegateOptions): Promise<Outcome>;
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'>;
  nextScopeNumber(): number;
  warn(message: string): void;
};

/**
 * A session of a supervisor, named by the program. `Dialects` are the ways its tools can be shaped, `Subagents` is what
 * manages its named agents.
 */
export class Session<Dialects, Subagents> {
  readonly id: string;
  /** Begins every scope's conversation: where it is and what it has. Default undefined; blank means none (B14). */
  environment: string | undefined = undefined;
  /** Messages among its agents; off until it is turned on (A13). */
  readonly board: Board;
  readonly #around: SessionOptions2<Dialects, Subagents>;

  constructor(id: string, around: SessionOptions2<Dialects, Subagents>) {
    this.id = id;
    this.#around = around;
    this.board = around.board;
  }

  /** The named agents of this session, which its main agent creates and hands work to. */
  get subagents(): Subagents {
    return this.#around.subagents();
  }

  /**
   * A run of the program's loop begins, from a user's message to its answer: what background tasks come to meanwhile is its
   * own to pick up. Each is ended by one `endRun`, in a `finally`; several may be on at once. The tools of the dialect
   * `subagent-manager` begin one by themselves where the program begins none: a loop that asks for them once per run need not
   * call this. One that keeps them from run to run, or asks more than once in a run, calls it ahead of each.
   */
  beginRun(): void {
    this.#around.beginRun();
  }

  /**
   * A run of the program's loop is over. With the last that is on, subagents that are not protected are gone, and results
   * that were not read go to `onWake`; background tasks go on (A47, A71). Sessions of the supervisor that were idle for
   * half an hour are forgotten (A75). Results that were not read are lost by none of this.
   */
  endRun(): RunEnd {
    return this.#around.endRun();
  }

  /**
   * Ends everything of the session: runs are interrupted, agents, histories and posts are removed, and the supervisor
   * forgets the session until it is used again (A74). Resolves with its subagents' unread results, also those that
   * came before their interrupt (S9). Background tasks that had ended stay in `completions()` of this object until they
   * are acknowledged; interrupted ones do not.
   */
  reset(): Promise<SessionEnd> {
    return this.#around.reset();
  }

  /**
   * Tools for the program's own loop, as a dialect shapes them. Those of `subagent-manager` begin a run: see
   * `beginRun`. Throws `invalid_options` naming what is wrong with the dialect.
   */
  tools(dialect: Dialects): Toolbox {
    const { toolsOf, caller } = this.#around;
    return new Toolbox(toolsOf(dialect), caller);
  }

  /** Runs a task in the session's name; as `Supervisor.delegate` does. */
  run<Answer = unknown>(task: Task<Answer>, options?: DelegateOptions): Promise<Outcome<Answer>> {
    // Its answers are those that its schema let through.
    return this.#around.run(task, options) as Promise<Outcome<Answer>>;
  }

  /**
   * Starts a task in the background: it outlives the run that asked for it (X5), and its completion is kept until the
   * caller acknowledges it. Throws what is wrong with the task, and `mailbox_full` while 1,024 completions are kept; a
   * limit it meets is its outcome.
   */
  start<Answer = unknown>(task: Task<Answer>, options?: DelegateOptions): TaskHandle<Answer> {
    // Its answers are those that its schema let through.
    return this.#around.start(task, options) as TaskHandle<Answer>;
  }

  /** The background tasks that run now, and those not acknowledged; current also when events were missed. */
  background(): readonly BackgroundTask[] {
    return this.#around.background.list();
  }

  /**
   * The completions not yet acknowledged, oldest first; they are kept until `acknowledge`, so none is lost. While there
   * are 1,024, no background task of the session is started: `start` throws `mailbox_full`, and a tool answers with it.
   */
  completions(): readonly Completion[] {
    return this.#around.background.completions();
  }

  /** Acknowledges a completion by its id and removes it from the list. False when it is not there. */
  acknowledge(completionId: string): boolean {
    return this.#around.background.acknowledge(completionId);
  }

  /**
   * Resolves with the end of a background task, which counts as acknowledged, or with null when `timeoutMs` is over first:
   * it runs on then, and may be waited for again. Rejects `unknown_task`, and with the signal's reason.
   */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Completion | null> {
    parseOptions(waitSchema, options, 'session.wait');
    return this.#around.background.wait(taskId, options);
  }

  /** Whether a registered tool would ask a person first. Rejects `unknown_tool`. */
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'> {
    return this.#around.needsConfirmation(tool);
  }

  /** A number that no scope of the supervisor has had: a session that is reset and made anew repeats none (B29). */
  nextScopeNumber(): number {
    return this.#around.nextScopeNumber();
  }

  /** Emits a warning as a `log` event of the supervisor. */
  warn(message: string): void {
    this.#around.warn(message);
  }
}
