// Owns what the owner of a background task may do while it runs: each call goes to the scheduler. Decides nothing.
import type { SchedulerMessage } from './messages.ts';
import type { BackgroundOwner } from './services/background.ts';
import { steerById } from './steer-by-id.ts';
import type { Steering } from './steering.ts';
import type { TaskRegistry } from './task-registry.ts';

export function taskControls(scheduler: {
  readonly registry: TaskRegistry;
  readonly steering: Steering;
  dispatch(message: SchedulerMessage): void;
}): Pick<BackgroundOwner, 'steer' | 'setPaused'> {
  return {
    // Its run may be in a model call for minutes: a caller that waits for that has a handle.
    steer: async (taskId, text) => {
      const task = scheduler.registry.tasks.get(taskId);
      if (task !== undefined) return scheduler.steering.post(task, text);
      return steerById(scheduler, taskId, text);
    },
    setPaused: (taskId, isPaused) => {
      const task = scheduler.registry.tasks.get(taskId);
      if (task === undefined) return;
      scheduler.dispatch({ type: isPaused ? 'pause_task' : 'resume_task', task });
    },
  };
}
