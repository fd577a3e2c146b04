// Owns what becomes of a session's subagents when a run of the main agent ends, and when the session does (A71, A74).
import type { RunEnd, SessionEnd } from '../../sessions/run-end.ts';
import type { Subagents } from './subagents.ts';
import type { SubagentResult } from './task-book.ts';

/**
 * What the end of a run comes to. With the last that is on, every agent that is not protected is gone, with its tool, its
 * history and its posts; what others still have is not taken from them. Tasks in the background go on, and results that
 * were not read wake the main agent, or are kept until they are read (X5). No agent is removed while the manager is off
 * (A1).
 */
export function endRun(manager: Subagents): Omit<RunEnd, 'expired'> {
  const { settings, deliveries, tasks, host, mainRuns } = manager;
  const { enabled, cleanupAtRunEnd } = settings.config;
  const isLast = !mainRuns.isOn;
  const cleans = isLast && enabled && cleanupAtRunEnd;
  const leaving = cleans ? manager.agents().filter((each) => !each.isProtected) : [];
  for (const { name } of leaving) manager.forget(name);
  if (cleans && manager.agents().length === 0) host.board.clear();
  const unread = isLast && deliveries.endRun() ? [] : tasks.unread();
  return {
    removed: leaving.map(({ name }) => name),
    kept: manager.agents().map(({ name }) => name),
    running: tasks
      .names()
      .flatMap((agent) => tasks.pending(agent).map((taskId) => ({ agent, taskId }))),
    unread: unread.map(({ agentName: agent, taskId }) => ({ agent, taskId })),
  };
}

/** Ends everything of a session: runs are interrupted, and unread results are returned, so that they are not lost. */
export async function endSession(manager: Subagents): Promise<SessionEnd> {
  const { runs, tasks, host, deliveries, settings } = manager;
  deliveries.beginEnd();
  const before = new Set(tasks.unread());
  const removed = manager.agents().map(({ name }) => name);
  for (const name of removed) manager.forget(name);
  // The session has no agents, and accepts none, until it is configured again.
  settings.configure({ ...settings.config, enabled: false });
  const running = [...runs.running];
  await Promise.all(running.map((run) => run.interrupt(`session ${host.sessionId} was ended`)));
  deliveries.endSession();
  // A run that was over before its interrupt came has a result like any other (S9).
  const last = tasks.unread();
  for (const { agentName, taskId } of last) manager.markRead(agentName, taskId);
  const unread = last.filter((each) => before.has(each) || !isInterrupted(each));
  return {
    removed,
    interrupted: running.length - unread.filter((each) => !before.has(each)).length,
    unread: unread.map(({ agentName, taskId, success, result, error }) => {
      return { agent: agentName, taskId, success, text: (success ? result : error) ?? '' };
    }),
  };
}

function isInterrupted({ metadata }: SubagentResult): boolean {
  const { exitReason } = metadata;
  return exitReason === 'interrupted' || exitReason === 'killed';
}

/** False while the session has a run or an unread result: neither may be lost (A75). */
export function isIdle({ runs, tasks }: Subagents): boolean {
  return runs.running.size === 0 && tasks.unread().length === 0;
}
