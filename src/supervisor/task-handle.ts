// Owns the making of a task's handle: each call goes to the scheduler. Decides nothing.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import type { TaskRecord } from '../tasks/state.ts';
import type { TaskHandle, TaskStatus } from '../tasks/task.ts';
import { checkInterrupt } from './agent-ref.ts';
import type { SupervisorParts } from './build-supervisor.ts';
import { eventsOfTask } from './task-events.ts';

export function taskHandle(
  entry: TaskRecord,
  { scheduler, events }: Pick<SupervisorParts, 'scheduler' | 'events'>,
  fromSeq: number,
): TaskHandle {
  // The handle's own, and the same however often it is asked.
  let result: Promise<Outcome> | null = null;
  return {
    id: entry.id,
    status: (): TaskStatus => entry.status(),
    result: () => {
      result ??= entry.result.then(copyData);
      return result;
    },
    interrupt: async (options = {}) => {
      checkInterrupt(options);
      return scheduler.interrupts.interrupt(entry, options);
    },
    pause: () => scheduler.dispatch({ type: 'pause_task', task: entry }),
    resume: () => scheduler.dispatch({ type: 'resume_task', task: entry }),
    steer: (text) => scheduler.steering.steer(entry, text),
    events: () => eventsOfTask(entry, () => events.read({ afterSeq: fromSeq })),
  };
}
