// Owns background tasks as a tool in an agent's thread has them: every call goes to the host, which keeps them.
import type { Outcome } from '../base/outcome.ts';
import type { BackgroundTask, BackgroundTasks } from '../tools/tool.ts';

/** `ask` sends a request to the host and resolves with its answer, whose type depends on the request's `op`. */
export function threadBackground(ask: (request: unknown) => Promise<unknown>): BackgroundTasks {
  return {
    start: async (task) => String(await ask({ op: 'start', task })),
    list: async () => (await ask({ op: 'list' })) as readonly BackgroundTask[],
    wait: async (taskId, options = {}) =>
      (await ask({ op: 'wait', taskId, ...options })) as Outcome | null,
    notify: async (text) => (await ask({ op: 'notify', text })) === true,
    stop: async (taskId) => (await ask({ op: 'stop', taskId })) as Outcome,
  };
}
