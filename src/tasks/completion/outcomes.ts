// Owns the shape of an end: outcomes of agents and of tasks that never had one, and the receipts of the latter. Pure.
import type { InterruptReceipt } from '../../actor/ref.ts';
import type { RunRecord } from '../../agent/run/record.ts';
import type { Failure } from '../../base/failures.ts';
import { noUsage, type Outcome, type OutcomeExitReason, statusOf } from '../../base/outcome.ts';
import { roundedMs } from '../../base/rounded-ms.ts';
import type { ImageBlock } from '../../protocol/history.ts';
import { imagesOf } from '../../protocol/image.ts';
import { runFiles, runUsage } from '../branch.ts';
import type { Run, TaskRecord } from '../state.ts';
import type { RunResult } from './run-result.ts';

/** The outcome of a run that had an agent. */
export function outcomeOf(run: Run, result: RunResult, now: number): Outcome {
  const { record, spec, task, parent, cause, answer } = run;
  const { exitReason, text, error } = result;
  const phase = cause?.phase ?? run.phase;
  const images = lastImages(record);
  return {
    status: statusOf(exitReason),
    exitReason,
    text: text === '' && answer !== null ? textOfAnswer(answer.value) : text,
    lastText: record.lastText,
    ...(images.length === 0 ? {} : { images }),
    ...(answer === null ? {} : { structured: answer.value }),
    ...(spec.shared.outputs === undefined ? {} : { emitted: record.emitted }),
    ...(exitReason === 'goal' ? {} : { partial: record.partial(phase) }),
    ...(error === undefined ? {} : { error }),
    usage: { own: record.usage, subtree: runUsage(run) },
    turns: record.turns,
    toolCalls: record.toolCalls,
    ...(record.toolCalls === 0 ? {} : { toolTrace: record.lastCalls }),
    filesTouched: runFiles(run),
    durationMs: roundedMs(now - (task.earlier?.startedAt ?? run.startedAt)),
    ...(task.earlier === null ? {} : { attempts: task.earlier.attempts + 1 }),
    model: record.model ?? spec.modelId,
    metadata: task.task.metadata ?? {},
    ...(spec.rights.warnings.length === 0 ? {} : { warnings: spec.rights.warnings }),
    agent: {
      id: run.id,
      name: spec.name,
      path: run.path,
      depth: run.depth,
      parentId: parent?.id ?? null,
    },
    taskId: task.id,
    index: task.origin.index,
  };
}

function lastImages({ messages, begins }: RunRecord): readonly ImageBlock[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return last < begins ? [] : imagesOf(messages[last]?.content ?? []);
}

/** A model that answers by schema often writes no other text; a caller that reads only text still gets the answer. */
function textOfAnswer(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each,
  );
}

/** The outcome of a task that never started: it has called nothing (S8). One between two attempts has its earlier ones. */
export function outcomeOfWaiting(
  task: TaskRecord,
  end: { readonly exitReason: OutcomeExitReason; readonly error: Failure },
  now: number,
): Outcome {
  const { parent } = task.origin;
  if (task.earlier !== null) {
    const { attempts, outcome, startedAt } = task.earlier;
    const { exitReason, error } = end;
    const status = statusOf(exitReason);
    return {
      ...outcome,
      status,
      exitReason,
      error,
      attempts,
      durationMs: roundedMs(now - startedAt),
    };
  }
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
    durationMs: roundedMs(now - task.acceptedAt),
    model: task.spec?.modelId ?? '',
    metadata: task.task.metadata ?? {},
    agent: {
      id: task.agent?.id ?? '',
      name: task.spec?.name ?? 'agent',
      path: waitingPath(task),
      depth: task.depth,
      parentId: parent?.id ?? null,
    },
    taskId: task.id,
    index: task.origin.index,
  };
}

/** Where a task that waits will be in the tree. */
export function waitingPath(task: TaskRecord): string {
  if (task.agent !== null && task.agent.cell !== null) return task.agent.path;
  return `${task.origin.parent?.path ?? ''}/${task.task.name ?? task.id}`;
}

/** The receipt of a task that an interrupt found without a live agent. */
export function receiptOf(
  task: TaskRecord,
  stage: 'not_started' | 'already_dead',
): InterruptReceipt {
  const agent = task.outcome?.agent;
  return {
    agentId: agent?.id ?? task.agent?.id ?? '',
    path: agent?.path ?? waitingPath(task),
    stage,
    elapsedMs: 0,
    partial: null,
  };
}
