// Owns background tasks as a tool in an agent's thread has them: every call goes to the host, which keeps them.
import type { HostServiceCalls } from '../protocol/host-services.ts';
import type { BackgroundTasks } from '../tools/tool.ts';

/** `ask` calls the host in the name of the tool call `callId`, for as long as that is open. */
export function threadBackground(
  callId: string,
  ask: <Answer>(call: (host: HostServiceCalls) => Promise<Answer>) => Promise<Answer>,
): BackgroundTasks {
  return {
    start: (task) => ask((host) => host.startTask({ callId, task })),
    list: () => ask((host) => host.listTasks({})),
    wait: (taskId, { timeoutMs } = {}) =>
      ask((host) => host.waitForTask({ callId, taskId, timeoutMs })),
    stop: (taskId) => ask((host) => host.stopTask({ callId, taskId })),
    steer: (taskId, text) => ask((host) => host.steerTask({ taskId, text })),
    pause: (taskId) => ask((host) => host.pauseTask({ taskId, isPaused: true })),
    resume: (taskId) => ask((host) => host.pauseTask({ taskId, isPaused: false })),
    notify: (text) => ask((host) => host.notify({ text })),
  };
}
