// Decides how a task goes on that an earlier process had accepted: from what its run committed last, under its own id (J2).
import { failure } from '../../base/failures.ts';
import type { Message } from '../../protocol/history.ts';
import { restoreRun } from '../journal/restored-run.ts';
import { openRun } from '../open-run.ts';
import type { AgentSpec } from '../resolve/agent-spec.ts';
import { Branch, subjectOf, type TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { endWaiting } from './end.ts';

export function restore(
  world: World,
  task: TaskRecord,
  spec: AgentSpec,
  memory: readonly Message[] = [],
): void {
  const { origin } = task;
  const { restored } = task.written;
  if (restored === null) return;
  const { log } = restored;
  task.isPaused = log.isPaused;
  if (log.earlier !== null) {
    const branch = new Branch(origin.parent?.branch ?? null);
    task.earlier = { ...log.earlier, startedAt: world.now, branch };
  }
  if (log.beganAt !== null) {
    const { beganAt: wallTime } = log;
    const opened = { spec, task: task.task, memory, wallTime, startedAt: world.now };
    const { prompt, record } = openRun(opened);
    restored.run = { ...restoreRun(record, log, spec.shared.tools), prompt, record };
  }
  const { goal, idempotencyKey } = task.task;
  const { record, repeated = [], unknown = [], interrupted = null } = restored.run ?? {};
  const { index, width, parent } = origin;
  const key = parent === null && idempotencyKey !== undefined ? { idempotencyKey } : {};
  task.written.hasStarted = restored.run !== null;
  const isStarted = task.written.hasStarted && interrupted === null;
  const about = { goal, ...key, index, width, isStarted, turns: record?.turns ?? 0 };
  world.emit('task_recovered', subjectOf(task), { ...about, repeated, unknown });
  if (interrupted === null) return;
  const error = failure('interrupted', interrupted);
  endWaiting(world, task, { exitReason: 'interrupted', error });
}
