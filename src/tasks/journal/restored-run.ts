// Owns how a run is restored from its entries: its record, and which of its open calls are made again. Pure.

import { previewOfResult } from '../../agent/preview.ts';
import type { RunRecord } from '../../agent/run/record.ts';
import { structuredOutputToolName } from '../../agent/structured-output-tool.ts';
import { resultBlock } from '../../agent/tool-result-message.ts';
import { failure } from '../../base/failures.ts';
import type { Spend } from '../../protocol/budget.ts';
import type { Message, ToolResultBlock } from '../../protocol/history.ts';
import type { SavedCall } from '../../protocol/saved-run.ts';
import type { ToolDescription } from '../../protocol/tool-description.ts';
import { errorResult } from '../../tools/call.ts';
import { capabilityTags } from '../../tools/tags.ts';
import type { ReadLog, WrittenEvent } from './run-entry.ts';

export type RestoredRun = {
  /** Names of the tools whose calls are made again, and of those that may or may not have taken effect. */
  readonly repeated: readonly string[];
  readonly unknown: readonly string[];
  readonly answer: { readonly value: unknown } | null;
  /** What the model call that was on may have taken; null where none was, or nothing limits it. */
  readonly reserved: Spend | null;
  /** The same of processes before. */
  readonly lost: readonly Spend[];
  /** Why it was being ended; null when it was not. */
  readonly interrupted: string | null;
};

type Tool = Pick<ToolDescription, 'name' | 'isIdempotent' | 'tags'>;

type Started = Extract<WrittenEvent, { type: 'tool_started' }>;

/** The calls of a turn that has no results yet, by their ids. */
type TurnCalls = {
  readonly started: Map<string, Started>;
  readonly asked: Set<string>;
  readonly results: Map<string, ToolResultBlock>;
};

/**
 * Folds the entries into a record that was opened as the run's was, and leaves it as a run that waits without a thread: its
 * calls that have results keep them, the others are made again where that does no harm.
 */
export function restoreRun(
  record: RunRecord,
  { entries }: Pick<ReadLog, 'entries'>,
  tools: readonly Tool[],
): RestoredRun {
  let answer: RestoredRun['answer'] = null;
  let interrupted: string | null = null;
  let reserved: Spend | null = null;
  const lost: Spend[] = [];
  let turn: TurnCalls = newTurn();
  for (const { entry, spent } of entries) {
    if (spent !== null) record.spend(spent);
    switch (entry.type) {
      case 'model_response':
        turn = newTurn();
        reserved = null;
        record.apply({ type: 'turn_started', turn: entry.turn });
        record.apply(entry);
        break;
      case 'tool_started':
        turn.started.set(entry.callId, entry);
        break;
      case 'tool_completed': {
        const started = turn.started.get(entry.callId);
        if (started !== undefined) {
          record.apply(started);
          record.apply({ ...entry, name: started.name });
        }
        if (entry.result !== undefined) turn.results.set(entry.callId, entry.result);
        break;
      }
      case 'tool_results':
        for (const event of withoutEnd(entry.message, turn)) record.apply(event);
        turn = newTurn();
        record.apply(entry);
        break;
      case 'approval_asked':
        turn.asked.add(entry.callId);
        break;
      case 'approval_given':
        turn.asked.delete(entry.callId);
        break;
      case 'answered':
        answer = { value: entry.value };
        break;
      case 'interrupted':
        interrupted = entry.reason;
        break;
      case 'reserved':
        reserved = entry.bound;
        break;
      case 'reservation_lost':
        lost.push(entry.bound);
        reserved = null;
        break;
      case 'spent':
        reserved = null;
        break;
      case 'attempt_failed':
        break;
      default:
        record.apply(entry);
    }
  }
  const open = openCallsOf(record, turn, tools);
  for (const { completed } of open) if (completed !== null) record.apply(completed);
  const { saved } = record;
  const isBegun = open.some(({ saved: { step } }) => step === 'done');
  const state = isBegun
    ? { ...saved, step: { type: 'in_tools' as const, calls: open.map(({ saved }) => saved) } }
    : saved;
  record.apply({ type: 'run_parked', state, known: 0, isAsked: false });
  const named = (what: 'repeated' | 'unknown'): readonly string[] =>
    open.flatMap(({ becomes, name }) => (becomes === what ? [name] : []));
  const ended = { answer, interrupted, reserved, lost };
  return { repeated: named('repeated'), unknown: named('unknown'), ...ended };
}

/** The ends of calls that are known by the results of their turn alone. */
function* withoutEnd(
  { content }: Message,
  { started, results }: TurnCalls,
): Iterable<Started | Extract<WrittenEvent, { type: 'tool_completed' }>> {
  for (const block of content) {
    if (block.type !== 'tool_result' || results.has(block.tool_use_id)) continue;
    const begun = started.get(block.tool_use_id);
    if (begun === undefined) continue;
    const { callId, name } = begun;
    const resultPreview = previewOfResult(block.content);
    const isError = block.is_error === true;
    yield begun;
    yield { type: 'tool_completed', callId, name, isError, resultPreview };
  }
}

function newTurn(): TurnCalls {
  return { started: new Map(), asked: new Set(), results: new Map() };
}

type OpenCall = {
  readonly name: string;
  readonly becomes: 'kept' | 'begun' | 'repeated' | 'unknown';
  readonly saved: SavedCall;
  /** What its trace says of a call that is not made again. */
  readonly completed: Extract<WrittenEvent, { type: 'tool_completed' }> | null;
};

function openCallsOf(
  { callsOfTurn }: RunRecord,
  { started, asked, results }: TurnCalls,
  tools: readonly Tool[],
): readonly OpenCall[] {
  return callsOfTurn.map(({ id: callId, name }): OpenCall => {
    const tool = tools.find((each) => each.name === name);
    const result = results.get(callId);
    // The answer by schema is taken by its call.
    if (result !== undefined && name !== structuredOutputToolName) {
      return { name, becomes: 'kept', saved: done(result), completed: null };
    }
    // Of a call that a person was asked about nothing has run.
    const hasRun = started.has(callId) && !asked.has(callId);
    if (!hasRun) return { name, becomes: 'begun', saved: notBegun, completed: null };
    if (tool === undefined || isRepeatable(tool)) {
      return { name, becomes: 'repeated', saved: notBegun, completed: null };
    }
    const error = errorResult(failure('in_doubt', unknownText(name)));
    const { content, failure: why } = error;
    return {
      name,
      becomes: 'unknown',
      saved: done(resultBlock(callId, error)),
      completed: {
        type: 'tool_completed',
        callId,
        name,
        isError: true,
        resultPreview: previewOfResult(content),
        ...(why === undefined ? {} : { failure: why }),
      },
    };
  });
}

const notBegun: SavedCall = { step: 'waiting', isNoticed: false, block: null };

function done(block: ToolResultBlock): SavedCall {
  return { step: 'done', isNoticed: false, block };
}

/** Made again, it does not do what it does a second time: what it delegates is found again by its call. */
function isRepeatable({ name, isIdempotent, tags }: Tool): boolean {
  const isDelegation = tags.includes(capabilityTags.delegation);
  return isIdempotent || isDelegation || name === structuredOutputToolName;
}

function unknownText(name: string): string {
  return `the process ended while ${name} ran: whether it took effect is unknown. Look before you call it again.`;
}
