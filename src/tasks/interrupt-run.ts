// Owns how a run is interrupted through its actor: a task's agent ends with its run, a spawned one only falls idle (S5).
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { TroupeError } from '../base/failures.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Run } from './state.ts';

/** Resolves when the actor and its descendants have ended, with a receipt each (S4). */
export function interruptRun(
  runtime: AgentRuntime,
  run: Run,
  options: InterruptOptions & { readonly reason: string },
): Promise<readonly InterruptReceipt[]> {
  const { reason } = options;
  if (run.agent.lifetime === 'task')
    return runtime.interrupt(run.cell, { ...options, scope: 'agent' });
  // It has no thread that could give its host tools up.
  if (run.agent.isParked) run.over.end(new TroupeError('interrupted', reason));
  // Its message may still be on the way, to its first activation or to the next: an interrupt only ends a receive that has begun.
  runtime.control(run.cell, { type: 'cancel', runId: run.task.id, reason });
  return runtime.interrupt(run.cell, { scope: 'run', ...options });
}
