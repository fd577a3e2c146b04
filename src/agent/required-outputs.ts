// Owns the required outputs of a run: variables to emit, an answer by schema. Pure: what is missing, what follows.
import { type Failure, failure } from '../base/failures.ts';
import type { ToolResultBlock, ToolUseBlock } from '../protocol/history.ts';
import type { RunProgress } from '../protocol/required-outputs.ts';
import type { RunEnd } from '../protocol/run-end.ts';
import type { WorkerSpec } from '../protocol/worker-spec.ts';

export const noProgress: RunProgress = { emitted: [], isAnswered: false, corrections: 0 };

type RequiredOutputs = Pick<WorkerSpec, 'outputs' | 'answer'>;

/** Declared variables that were not emitted, in their order. */
export function missingVariables(
  { outputs }: RequiredOutputs,
  { emitted }: RunProgress,
): readonly string[] {
  return Object.keys(outputs?.variables ?? {}).filter((name) => !emitted.includes(name));
}

function isAnswerMissing({ answer }: RequiredOutputs, { isAnswered }: RunProgress): boolean {
  return answer !== undefined && !isAnswered;
}

function isOutputMissing(required: RequiredOutputs, progress: RunProgress): boolean {
  return isAnswerMissing(required, progress) || missingVariables(required, progress).length > 0;
}

/** The tools that take the outputs a run still misses. */
export function requiredOutputTools(
  required: RequiredOutputs,
  progress: RunProgress,
): readonly string[] {
  const { answer, outputs } = required;
  return [
    ...(outputs !== undefined && missingVariables(required, progress).length > 0
      ? [outputs.toolNames.tool]
      : []),
    ...(answer !== undefined && isAnswerMissing(required, progress) ? [answer.tool] : []),
  ];
}

export type AfterTools = { readonly progress: RunProgress; readonly end: RunEnd | null };

/**
 * What follows a turn's tool results: the end when all required outputs are there (B21, D19) or a finishing tool
 * succeeded (D17), a failure when the answer was wrong once too often, else another turn.
 */
export function afterTools(
  required: RequiredOutputs & Pick<WorkerSpec, 'finishTools'>,
  before: RunProgress,
  turn: {
    readonly calls: readonly ToolUseBlock[];
    readonly results: readonly ToolResultBlock[];
    /** The last text of the model. */
    readonly text: string;
  },
): AfterTools {
  const { calls, results, text } = turn;
  const tries = calls.flatMap(({ id, name }) =>
    name === required.answer?.tool ? results.filter((each) => each.tool_use_id === id) : [],
  );
  const isAnswered = before.isAnswered || tries.some((result) => result.is_error !== true);
  const isWrong = tries.length > 0 && !isAnswered;
  const corrections = before.corrections + (isWrong ? 1 : 0);
  const progress = { emitted: before.emitted, isAnswered, corrections };
  const error = isWrong ? outOfCorrections(required, progress) : null;
  if (error !== null) return { progress, end: { exitReason: 'error', text, error } };
  // Required outputs come first: a finishing tool ends a run only when none is missing.
  if (isOutputMissing(required, progress)) return { progress, end: null };
  const hasRequiredOutputs = required.outputs !== undefined || required.answer !== undefined;
  const final = hasRequiredOutputs ? text : finalText(required.finishTools ?? [], calls, results);
  return { progress, end: final === null ? null : { exitReason: 'goal', text: final } };
}

export type AfterText = {
  readonly progress: RunProgress;
  readonly next:
    | { readonly type: 'finish'; readonly end: RunEnd }
    | { readonly type: 'remind'; readonly text: string };
};

/** What follows a turn without calls: the run's end, or a reminder of the missing outputs and nothing else (B20). */
export function afterText(required: RequiredOutputs, before: RunProgress, end: RunEnd): AfterText {
  const isOver = end.exitReason !== 'goal' && end.error?.code !== 'model_empty_answer';
  if (isOver || !isOutputMissing(required, before))
    return { progress: before, next: { type: 'finish', end } };
  if (!isAnswerMissing(required, before)) {
    return { progress: before, next: { type: 'remind', text: reminder(required, before) } };
  }
  const progress = { ...before, corrections: before.corrections + 1 };
  const error = outOfCorrections(required, progress);
  const next: AfterText['next'] =
    error === null
      ? { type: 'remind', text: reminder(required, progress) }
      : { type: 'finish', end: { exitReason: 'error', text: end.text, error } };
  return { progress, next };
}

/** Names what is missing, and only that. */
function reminder(required: RequiredOutputs, progress: RunProgress): string {
  const missing = missingVariables(required, progress);
  const lines: string[] = [];
  if (missing.length > 0 && required.outputs !== undefined) {
    const { tool } = required.outputs.toolNames;
    lines.push(`You are not done. Call ${tool} for what is still missing: ${missing.join(', ')}.`);
  }
  if (isAnswerMissing(required, progress)) {
    const { tool } = required.answer ?? { tool: '' };
    lines.push(`Your answer counts only when you give it by calling ${tool}. Call it now.`);
  }
  return lines.join('\n');
}

function outOfCorrections(
  { answer }: RequiredOutputs,
  { corrections }: RunProgress,
): Failure | null {
  if (answer === undefined || corrections <= answer.maxCorrections) return null;
  const { tool, maxCorrections } = answer;
  return failure(
    'output_invalid',
    `no call of ${tool} fitted the output schema, after ${maxCorrections} corrections`,
  );
}

/** The text of the first finishing tool that succeeded; null when none did. */
function finalText(
  finishTools: readonly string[],
  calls: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
): string | null {
  const finishing = calls.filter(({ name }) => finishTools.includes(name)).map(({ id }) => id);
  const final = results.find(
    (each) => finishing.includes(each.tool_use_id) && each.is_error !== true,
  );
  return final === undefined ? null : textOfResult(final);
}

function textOfResult({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
