// Owns how a manager's background tasks, runs and deliveries are put together: each calls the others through the manager.
import { Deliveries } from './deliveries.ts';
import { HandoffRuns } from './handoff-run.ts';
import type { Subagents } from './subagents.ts';
import { TaskBook } from './task-book.ts';

/** The parts of a manager that is being made: none of them calls it before that is done. */
export function managerParts(manager: Subagents): Pick<Subagents, 'tasks' | 'runs' | 'deliveries'> {
  const { host } = manager;
  const tasks = new TaskBook(() => host.clock.wallTime(), {
    onUnread: (result) => manager.deliveries.notify(result),
    onAcknowledged: (sessionTaskId) => host.acknowledge(sessionTaskId),
  });
  const runs = new HandoffRuns({
    host,
    book: tasks,
    historyLimit: () => manager.settings.historyLimit,
  });
  const deliveries = new Deliveries({
    book: tasks,
    read: ({ agentName, taskId }) => manager.markRead(agentName, taskId),
    onWake: () => manager.settings.options.onWake,
    isMainRunning: () => manager.mainRuns.isOn,
    warn: (message) => host.warn(message),
  });
  return { tasks, runs, deliveries };
}
