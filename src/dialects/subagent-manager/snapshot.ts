// Owns what a session's manager shows of itself: plain data, for pages and tests (A22).
import type { StoredMessage } from '../../agent/prompt/preamble.ts';
import type { BoardEntry } from '../../sessions/board-entries.ts';
import type { SubagentConfig, SubagentStatus } from './subagent.ts';
import type { Subagents } from './subagents.ts';
import type { SubagentResult } from './task-book.ts';

/** The subagents of a session at one moment. */
export type SubagentSnapshot = {
  /** The id of the session. */
  readonly sessionId: string;
  /** What each agent is made of, by name. */
  readonly agents: Readonly<Record<string, SubagentConfig>>;
  /** The name of each agent's tool. */
  readonly handoffTools: Readonly<Record<string, string>>;
  /** What each agent does, or how its last run ended. */
  readonly statuses: Readonly<Record<string, SubagentStatus>>;
  /** Names of the agents that stay when a run of the main agent ends. */
  readonly protectedAgents: readonly string[];
  /** Whether agents remember their runs. */
  readonly historyEnabled: boolean;
  /** What each agent remembers. */
  readonly histories: Readonly<Record<string, readonly StoredMessage[]>>;
  /** The entries of the board, oldest first. */
  readonly board: readonly BoardEntry[];
  /** Whether the board is on. */
  readonly boardEnabled: boolean;
  /** Results that are still kept, by agent and task id. */
  readonly backgroundResults: Readonly<Record<string, Readonly<Record<string, SubagentResult>>>>;
  /** The newest task id of each agent that has one. */
  readonly taskCounters: Readonly<Record<string, number>>;
  /** Milliseconds since 1970. */
  readonly lastActivityAt: number;
};

export function snapshotOf(manager: Subagents, lastActivityAt: number): SubagentSnapshot {
  const { host, settings, tasks } = manager;
  const agents = manager.agents();
  const byName = <Value>(of: (agent: (typeof agents)[number]) => Value) =>
    Object.fromEntries(agents.map((agent) => [agent.name, of(agent)]));
  return {
    sessionId: host.sessionId,
    agents: byName(({ made }) => made.config),
    handoffTools: byName(({ handoff }) => handoff.name),
    statuses: byName(({ status }) => status),
    protectedAgents: agents.filter(({ isProtected }) => isProtected).map(({ name }) => name),
    historyEnabled: settings.config.historyEnabled,
    histories: byName(({ history }) => history),
    board: host.board.entries(),
    boardEnabled: host.board.isOn,
    backgroundResults: Object.fromEntries(
      tasks
        .names()
        .map((name) => [
          name,
          Object.fromEntries(tasks.results(name).map((result) => [result.taskId, result])),
        ]),
    ),
    taskCounters: Object.fromEntries(
      tasks.names().map((name) => [name, Number(tasks.latestId(name) ?? 0)]),
    ),
    lastActivityAt,
  };
}
