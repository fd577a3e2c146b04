// Owns the shape of an end: outcomes of agents and of tasks that never had one, and the receipts of the latter. Pure.
import type { InterruptReceipt } from '../../actor/ref.ts';
import type { Failure } from '../../base/failures.ts';
import { noUsage, type Outcome, type OutcomeExitReason, statusOf } from '../../base/outcome.ts';
import type { Run } from '../run.ts';
import type { TaskRecord } from '../task-record.ts';
import type { RunResult } from './run-result.ts';

/** The outcome of a run that had an agent. */
export function outcomeOf(agent: Run, settlement: RunResult, now: number): Outcome {
  const { record, spec, task, parent, cause, answer } = agent;
  const { exitReason, text, error } = settlement;
  const phase = cause?.phase ?? agent.phase;
  return {
    status: statusOf(exitReason),
    exitReason,
    text: text === '' && answer !== null ? textOfAnswer(answer.value) : text,
    lastText: record.lastText,
    ...(answer === null ? {} : { structured: answer.value }),
    ...(spec.shared.outputs === undefined ? {} : { emitted: record.emitted }),
    ...(exitReason === 'goal' ? {} : { partial: record.partial(phase) }),
    ...(error === undefined ? {} : { error }),
    usage: { own: record.usage, subtree: agent.subtreeUsage() },
    turns: record.turns,
    toolCalls: record.toolCalls,
    ...(record.toolCalls === 0 ? {} : { toolTrace: record.lastCalls }),
    filesTouched: agent.allFilesTouched(),
    durationMs: now - agent.startedAt,
    model: record.model ?? spec.modelId,
    metadata: task.task.metadata ?? {},
    ...(spec.rights.warnings.length === 0 ? {} : { warnings: spec.rights.warnings }),
    agent: {
      id: agent.id,
      name: spec.name,
      path: agent.path,
      depth: agent.depth,
      parentId: parent?.id ?? null,
    },
    taskId: task.id,
    index: task.origin.index,
  };
}

/** A model that answers by schema often writes no other text; a caller that reads only text still gets the answer. */
function textOfAnswer(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each,
  );
}

/** The outcome of a task that never started: it has called nothing (S8). */
export function outcomeOfWaiting(
  entry: TaskRecord,
  end: { readonly exitReason: OutcomeExitReason; readonly error: Failure },
  now: number,
): Outcome {
  const { parent } = entry.origin;
  return {
    status: statusOf(end.exitReason),
    exitReason: end.exitReason,
    text: '',
    lastText: '',
    partial: { text: '', toolTrace: [], turns: 0, phase: 'queued' },
    error: end.error,
    usage: { own: noUsage, subtree: noUsage },
    turns: 0,
    toolCalls: 0,
    filesTouched: [],
    durationMs: now - entry.acceptedAt,
    model: entry.spec?.modelId ?? '',
    metadata: entry.task.metadata ?? {},
    agent: {
      id: entry.persistentAgent?.id ?? '',
      name: entry.spec?.name ?? 'agent',
      path: waitingPath(entry),
      depth: entry.depth,
      parentId: parent?.id ?? null,
    },
    taskId: entry.id,
    index: entry.origin.index,
  };
}

/** Where a task that waits will be in the tree. */
export function waitingPath(entry: TaskRecord): string {
  if (entry.persistentAgent !== null) return entry.persistentAgent.path;
  return `${entry.origin.parent?.path ?? ''}/${entry.task.name ?? entry.id}`;
}

/** The receipt of a task that an interrupt found without a live agent. */
export function receiptOf(
  entry: TaskRecord,
  stage: 'not_started' | 'already_dead',
): InterruptReceipt {
  const agent = entry.state.status === 'ended' ? entry.state.outcome.agent : null;
  return {
    agentId: agent?.id ?? entry.persistentAgent?.id ?? '',
    path: agent?.path ?? waitingPath(entry),
    stage,
    elapsedMs: 0,
    partial: null,
  };
}
