// Decides what is written down of recovered tasks whose code may end the process again, and when they have gone on (J7).
import type { RunEvent } from '../../protocol/run-events.ts';
import type { Run, TaskRecord } from '../state.ts';
import type { World } from '../world.ts';

/** Something of its own has come of it: what began before did not end the process. */
const isProgress: ReadonlySet<RunEvent['type']> = new Set([
  'model_response',
  'tool_completed',
  'tool_results',
]);

/** Code of a tree that was recovered is about to run: a thread, or a tool on the host. */
export function writeTried(world: World, { root: { task } }: Run): void {
  const { risk } = task.written;
  if (risk === null || risk.isTried || world.isClosed) return;
  risk.isTried = true;
  world.write({ type: 'recovery_tried', taskId: task.id, isAlone: risk.isAlone });
}

/** An event of a run says that a tool begins, or that the run has gone on. */
export function followRisk(world: World, run: Run, { type }: RunEvent): void {
  if (run.root.task.written.risk === null) return;
  if (type === 'tool_started') writeTried(world, run);
  else if (isProgress.has(type)) endRisk(world, run.root.task);
}

/** It goes on, or has ended. */
export function endRisk(world: World, { id: taskId, written, isEnded }: TaskRecord): void {
  const { risk } = written;
  if (risk === null) return;
  written.risk = null;
  const isWritten = !isEnded && (risk.isTried || risk.isAlone);
  if (isWritten) world.write({ type: 'recovery_settled', taskId });
  if (risk.isAlone) world.push({ type: 'end_trial', taskId });
}
