// Owns the interface by which a dialect registers with a session: what the session offers it, what it keeps there.
import type { Clock } from '../base/clock.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Message } from '../protocol/history.ts';
import type { DelegateOptions, RunSettings, Task, TaskHandle } from '../tasks/task.ts';
import type { Board } from './board.ts';
import type { RunEnd, SessionEnd } from './run-end.ts';

/** A way of delegating that keeps something in a session: `session.use` opens it once, and returns what it keeps. */
export interface Dialect<State extends DialectState = DialectState> {
  /** Called at the first use in a session, and again at the first use after a reset. */
  open(host: SessionHost): State;
}

/** What a dialect keeps in a session, as far as the session's own beginnings and ends concern it. */
export interface DialectState {
  /** A run of the program's loop begins. */
  beginRun?(): void;
  /** A run of the program's loop is over. */
  endRun?(): Omit<RunEnd, 'expired'>;
  /** The session is reset: everything that runs is interrupted, and unread results are returned. */
  reset?(): Promise<SessionEnd>;
  /** Whether an unused session may be forgotten with it. Left out: it keeps nothing that is missed. */
  retention?(): Retention;
}

/**
 * `none`: it has nothing that a new one would lack. `idle`: it may be forgotten, with so many agents, which is reported.
 * `needed`: it has what must not be lost.
 */
export type Retention =
  | { readonly need: 'none' | 'needed' }
  | { readonly need: 'idle'; readonly agents: number };

/** What a session offers to a dialect. */
export interface SessionHost {
  /** What the program calls the session. */
  readonly sessionId: string;
  /** The supervisor's clock. */
  readonly clock: Clock;
  /** Messages among the agents of the session. */
  readonly board: Board;
  /** The supervisor's folder. */
  readonly workspace: string;
  /** What another dialect, or the same, keeps in the session now: another object after a reset. */
  use<State extends DialectState>(dialect: Dialect<State>): State;
  /** Reports a warning to the supervisor's listeners, as a `log` event of this session. */
  warn(message: string): void;
  /** Names of the tools registered on the supervisor. Rejects `tool_module_failed`. */
  toolNames(): Promise<ReadonlySet<string>>;
  /** Whether a registered tool would ask a person first; `unknown` when that depends on its arguments. Rejects `unknown_tool`. */
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'>;
  /** The supervisor has `approve`: a tool that needs a person's approval can get it. */
  readonly canAskPerson: boolean;
  /** A number that was returned to no caller of this supervisor before, also after the session was reset. */
  nextNumber(): number;
  /** Why no run can be set so, as far as that shows without loading a tool module; empty when one can. */
  whyNot(settings: RunSettings): readonly string[];
  /**
   * Rejects what is wrong with a task that an agent hands over, or the program's loop, which has no id; starts nothing.
   * Resolves with what the task asks for and would not have.
   */
  check(task: Task, agentId?: string): Promise<readonly string[]>;
  /** Runs a task for the program, as `Session.run` does; `onAccepted` learns its id. */
  run(
    task: Task,
    options?: DelegateOptions & { readonly onAccepted?: (taskId: string) => void },
  ): Promise<Outcome>;
  /**
   * Hands a task over as a tool of the program's loop does: limits apply, a pause refuses it. Throws what is wrong with
   * the task.
   */
  start(task: Task): TaskHandle;
  /**
   * The same for a task that outlives the call: its end waits in the session until it is acknowledged. It is a child
   * of the agent of the tree that asks, in all but its lifetime; an empty id (the program's loop) has no parent.
   * Throws `interrupting` and `activation_ended` too.
   */
  startBackground(task: Task, callerId: string): TaskHandle;
  /** Ends a run by its agent's path; nothing happens where there is none. */
  interrupt(path: string, reason: string): Promise<unknown>;
  /** The messages of a run that has just ended, without those it was opened with. */
  messagesOf(taskId: string): readonly Message[];
  /** The end of a background task was received. */
  acknowledge(taskId: string): void;
  /** The session was used: it is not idle. Ignored when the session was reset since. */
  touch(): void;
  /** Milliseconds since 1970. */
  lastActivityAt(): number;
  /**
   * A run of an agent of the tree that is the session's main agent is over. Calls `end`, and forgets idle sessions; does
   * nothing when the session was reset since.
   */
  endRun(end: () => void): void;
}
