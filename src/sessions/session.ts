// Owns one session: what outlives a run of the program's own loop. The tools that loop is given, runs in its name,
// background tasks, its board, its subagents, and their ends.
import { z } from 'zod';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import { signalSchema } from '../base/signal-schema.ts';
import type { BackgroundTask } from '../protocol/host-services.ts';
import type { Background, Completion, WaitOptions } from '../tasks/services/background.ts';
import type { DelegateOptions, Task, TaskHandle } from '../tasks/task.ts';
import { isTool } from '../tools/define-tool.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Board } from './board.ts';
import type { Dialect, DialectState } from './dialect.ts';
import type { RunEnd, SessionEnd } from './run-end.ts';
import { Toolbox, type ToolCaller, type ToolSource } from './toolbox.ts';

const waitSchema = z.strictObject({
  timeoutMs: z.number().min(0).optional(),
  signal: signalSchema.optional(),
});

const expected =
  'expected a tool, an array of tools, or the tools of a dialect, as `delegateTaskTool()` returns them';
const toolsSchema = z.array(z.custom<AnyTool>(isTool, expected), expected).readonly();

/** What a session needs of its supervisor. */
export type SessionParts = {
  /** What a dialect keeps in the session, made when first asked for. */
  use<State extends DialectState>(dialect: Dialect<State>): State;
  beginRun(): void;
  endRun(): RunEnd;
  reset(): Promise<SessionEnd>;
  readonly caller: ToolCaller;
  readonly background: Background;
  readonly board: Board;
  start(task: Task, options?: DelegateOptions): TaskHandle;
  run(task: Task, options?: DelegateOptions): Promise<Outcome>;
  warn(message: string): void;
};

/** What a session gives to a program's loop: a tool, tools, or tools that come and go. */
export type SessionTools = AnyTool | readonly AnyTool[] | ToolSource;

/** A session of a supervisor, named by the program. */
export class Session {
  /** What the program calls it. */
  readonly id: string;
  /** Messages among its agents; off until it is turned on. */
  readonly board: Board;
  readonly #parts: SessionParts;

  constructor(id: string, parts: SessionParts) {
    this.id = id;
    this.#parts = parts;
    this.board = parts.board;
  }

  /**
   * What a dialect keeps in this session: the same object until the session is reset. Dialects offer a function for it:
   * `subagentManager(session)`, `scopeRuntime(session)`.
   */
  use<State extends DialectState>(dialect: Dialect<State>): State {
    return this.#parts.use(dialect);
  }

  /**
   * A run of the program's loop begins, from a user's message to its answer: what background tasks come to meanwhile is its
   * own to pick up. Each is ended by one `endRun`, in a `finally`; several may be on at once. The tools of a subagent manager
   * begin one by themselves where the program begins none: a loop that asks for them once per run need not call this. One
   * that keeps them from run to run, or asks more than once in a run, calls it ahead of each.
   */
  beginRun(): void {
    this.#parts.beginRun();
  }

  /**
   * A run of the program's loop is over. With the last that is on, subagents that are not protected are gone, and results
   * that were not read go to `onWake`; background tasks go on. Sessions of the supervisor that were idle for
   * half an hour are forgotten. Results that were not read are lost by none of this.
   */
  endRun(): RunEnd {
    return this.#parts.endRun();
  }

  /**
   * Ends everything of the session: runs are interrupted, agents, histories and posts are removed, and the supervisor
   * forgets the session until it is used again. Resolves with its subagents' unread results, also those that
   * came before their interrupt. Background tasks that had ended stay in `completions()` of this object until they
   * are acknowledged; interrupted ones do not.
   */
  reset(): Promise<SessionEnd> {
    return this.#parts.reset();
  }

  /**
   * Tools for the program's own loop: `delegateTaskTool()`, `taskTool()`, `agentTools()`, those of
   * `subagentManager(session).tools()`, or the program's own. What was corrected in a tool's options is a `log` event.
   * Throws `invalid_options` for what is no tool, and `invalid_tool` when two have one name.
   */
  tools(tools: SessionTools): Toolbox {
    const source = sourceOf(tools);
    const toolbox = new Toolbox(source, this.#parts.caller);
    for (const { corrections = [] } of source.now()) corrections.forEach(this.#parts.warn);
    return toolbox;
  }

  /** Runs a task in the session's name; as `Supervisor.delegate` does. */
  run<Answer = unknown>(task: Task<Answer>, options?: DelegateOptions): Promise<Outcome<Answer>> {
    // Its answers are those that its schema let through.
    return this.#parts.run(task, options) as Promise<Outcome<Answer>>;
  }

  /**
   * Starts a task in the background: it outlives the run that asked for it, and its completion is kept until the
   * caller acknowledges it. Throws what is wrong with the task, and `mailbox_full` while 1,024 completions are kept; a
   * limit it meets is its outcome.
   */
  start<Answer = unknown>(task: Task<Answer>, options?: DelegateOptions): TaskHandle<Answer> {
    // Its answers are those that its schema let through.
    return this.#parts.start(task, options) as TaskHandle<Answer>;
  }

  /** The background tasks that run now, and those not acknowledged; current also when events were missed. */
  background(): readonly BackgroundTask[] {
    return this.#parts.background.list();
  }

  /**
   * The completions not yet acknowledged, oldest first; they are kept until `acknowledge`, so none is lost. While there
   * are 1,024, no background task of the session is started: `start` throws `mailbox_full`, and a tool answers with it.
   */
  completions(): readonly Completion[] {
    return this.#parts.background.completions();
  }

  /** Acknowledges a completion by its id and removes it from the list. False when it is not there. */
  acknowledge(completionId: string): boolean {
    return this.#parts.background.acknowledge(completionId);
  }

  /**
   * Resolves with the end of a background task, which counts as acknowledged, or with null when `timeoutMs` is over first:
   * it runs on then, and may be waited for again. Rejects `unknown_task`, and with the signal's reason.
   */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Completion | null> {
    parseOptions(waitSchema, options, 'session.wait');
    return this.#parts.background.wait(taskId, options);
  }
}

function sourceOf(tools: SessionTools): ToolSource {
  if (isToolSource(tools)) return tools;
  const listed = parseOptions(toolsSchema, isTool(tools) ? [tools] : tools, 'session.tools');
  return { now: () => listed };
}

function isToolSource(value: unknown): value is ToolSource {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'now' in value && typeof value.now === 'function';
}
