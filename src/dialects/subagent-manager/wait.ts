// Owns `wait_for_subagent`: its five outcomes, on the supervisor's clock (A48 to A50). Waiting changes no task.
import { resolvedWithin } from '../../base/resolved-within.ts';
import { refusal, type ToolRefusal } from '../../tools/refusal.ts';
import type { Subagents } from './subagents.ts';
import type { SubagentResult } from './task-book.ts';

export type WaitRequest = {
  readonly agent: string;
  readonly taskId: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Resolves with the text for the model. Rejects with the signal's reason. */
export async function waitForSubagent(
  { agent, taskId, timeoutMs, signal }: WaitRequest,
  manager: Subagents,
): Promise<string | ToolRefusal> {
  const { host, tasks: book } = manager;
  const isKnown = manager.find(agent) !== null;
  const tell = (result: SubagentResult, remark = ''): string | ToolRefusal => {
    manager.markRead(agent, result.taskId);
    return describeState(result, remark);
  };
  const pending = book.pending(agent);
  const id = taskId ?? pending.at(-1);
  if (id === undefined) {
    const latest = book.result(agent);
    if (latest !== null)
      return tell(latest, ' No task of it is pending; this is the latest that ended.');
    return refusal('unknown_task', noTask(agent, isKnown));
  }
  const known = book.result(agent, id);
  if (known !== null) return tell(known);
  const task = book.pendingTask(agent, id);
  if (task === null) {
    const ids = [...pending, ...book.results(agent).map((each) => each.taskId)].join(', ');
    const why = `error: subagent "${agent}" has no task "${id}"; it has: ${ids || 'none'}.`;
    return refusal('unknown_task', isKnown || ids !== '' ? why : noTask(agent, false));
  }
  const until = resolvedWithin(task.done, { clock: host.clock, timeoutMs, signal });
  const result = await book.wait(agent, id, until);
  if (result !== null) return tell(result);
  return (
    `Subagent "${agent}" has not finished task ${id} within ${timeoutMs / 1_000} s. ` +
    'It may still be running; you can wait for it again.'
  );
}

function noTask(agent: string, isKnown: boolean): string {
  return isKnown
    ? `error: subagent "${agent}" is idle: no task of it is running.`
    : `error: there is no subagent "${agent}".`;
}

/** The end of a task as text, for its result and for the agent that is woken with it. */
function describeState(result: SubagentResult, remark = ''): string | ToolRefusal {
  const { agentName, taskId, success, executionTimeMs } = result;
  const time = `${(executionTimeMs / 1_000).toFixed(1)} s`;
  const head = `Subagent "${agentName}", task ${taskId}`;
  if (success) return `${head}, completed after ${time}.${remark}\nResult:\n${result.result ?? ''}`;
  return refusal('tool_failed', `${head}, failed after ${time}.${remark}\n${result.error ?? ''}`);
}
