// Owns what a manager of subagents needs of the session it is in. Implemented where everything is wired.
import type { Clock } from '../../base/clock.ts';
import type { Message } from '../../models/model.ts';
import type { Board } from '../../sessions/board.ts';
import type { RunSettings, Task, TaskHandle } from '../../tasks/task.ts';

export interface SubagentHost {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly board: Board;
  /** The supervisor's folder. */
  readonly workspace: string;
  /** Reports a warning to the supervisor's listeners, as a `log` event of this session. */
  warn(message: string): void;
  /** Names of the tools registered on the supervisor. Rejects `tool_module_failed`. */
  toolNames(): Promise<ReadonlySet<string>>;
  /** Why no run can be set so, as far as that shows without loading a tool module; empty when one can. */
  whyNot(settings: RunSettings): readonly string[];
  /**
   * Rejects what is wrong with a task that an agent hands over, or the program's loop, which has no id; starts nothing.
   * Resolves with what the task asks for and would not have.
   */
  check(task: Task, agentId?: string): Promise<readonly string[]>;
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
  /** The session was used: it is not idle. */
  touch(): void;
  /** Milliseconds since 1970. */
  lastActivityAt(): number;
  /** The run of an agent of the tree that is the session's main agent is over. */
  endRun(): unknown;
}
