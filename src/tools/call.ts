// Owns one call of a tool: arguments judged, code run, whatever happens turned into a result. Knows no grants and no clock.
import { copyData } from '../base/copy-data.ts';
import { endlessness, maxInput } from '../base/endless.ts';
import { describe, type Failure, failure, toFailure } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { decoded } from '../base/json-text.ts';
import { nextTurn } from '../base/next-turn.ts';
import { toFault } from '../base/stack.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { ToolResult } from '../protocol/history.ts';
import {
  type ApprovalOptions,
  approvalOf,
  editedResult,
  failureOfEdit,
  mayAsk,
  noteOfEdit,
} from './call-approval.ts';
import { CallWaits } from './call-waits.ts';
import { isFitted } from './fitted.ts';
import { ended } from './generator.ts';
import type { KeptTexts } from './kept-texts.ts';
import { cutMiddle, cutText, defaultMaxResultChars, type KeepText, toContent } from './output.ts';
import { isRefusal } from './refusal.ts';
import { issueText, validate } from './schema.ts';
import { capabilityTags } from './tags.ts';
import type { AnyTool, SchemaResult, ToolContext } from './tool.ts';

export type CallOptions = ApprovalOptions & {
  /** Characters of text the result may contain. Default 50,000. */
  readonly maxResultChars?: number | undefined;
  /** Milliseconds of a clock, for tools that report how long they took. Default: always 0. */
  now?(): number;
  /** Keeps the whole text of a result that is cut. Default: it is not kept. */
  readonly keep?: KeepText | undefined;
  /** Keeps those of tools that delegate where `keep` does not, and is read by their calls. Default: none are kept. */
  readonly kept?: KeptTexts | undefined;
  /**
   * Called when the call was given up while the tool's code still runs. `late` resolves when that code ends, with
   * what it came to, and never rejects: until then the thread is not clean.
   */
  onAbandoned?(late: Promise<ToolResult>): void;
  /**
   * Bounds how long a call that was given up still awaits what suspends it: calls `over` when that time has passed,
   * returns how to stop it. Default: no time at all.
   */
  suspendedPatience?(over: () => void): () => void;
};

/**
 * Calls a tool and never throws: bad arguments, a throwing tool, an odd answer and an interrupt are error results
 * that say what to do about it. When `context.signal` aborts, a tool that does not end within one turn of the
 * event loop is given up; what it finished in time is kept. Of a tool that waits for children the turn begins when the
 * last of them has ended: they end with the call, and their outcomes are its answer (S9).
 */
export async function callTool(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  options: CallOptions = {},
): Promise<ToolResult> {
  const { maxResultChars = defaultMaxResultChars, onAbandoned } = options;
  const { signal } = context;
  const interrupted = () => errorResult(toFailure(signal.reason, 'interrupted'), maxResultChars);
  if (signal.aborted) return interrupted();
  const waits: Waits = { children: new CallWaits(), suspended: new CallWaits() };
  const counted = counting(context, waits);
  const finished = finish(tool, input, counted, { ...options, maxChars: maxResultChars });
  const patience = patienceAfterAbort(signal, waits, options.suspendedPatience);
  const result = await Promise.race([finished, patience.over]);
  patience.dispose();
  if (result !== null) return result;
  onAbandoned?.(finished);
  return interrupted();
}

/** The message of a failure whose own is blank; providers refuse an error without any content. */
export const failedSilently = 'The call failed.';

/** The error result of a failure: its message for the model, itself for events. */
export function errorResult(
  reason: Failure,
  maxResultChars: number = defaultMaxResultChars,
  cut: (text: string, maxChars: number) => string = cutText,
): ToolResult {
  const shown = reason.message.trim() === '' ? failedSilently : reason.message;
  const content = cut(shown, maxResultChars);
  return { content, isError: true, failure: { ...reason, message: content } };
}

/** The whole call without regard to time; never rejects. */
async function finish(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  options: CallOptions & { readonly maxChars: number },
): Promise<ToolResult> {
  const { maxChars, kept, now } = options;
  // What comes back from children ends with what they found.
  const isDelegating = tool.tags.includes(capabilityTags.delegation);
  const keep: KeepText = (text) =>
    options.keep?.(text) ?? (isDelegating ? (kept?.keep(text, tool.name) ?? null) : null);
  const rules: Rules = { maxChars, keep, isDelegating, now };
  try {
    const part = isDelegating ? (kept?.part(input, maxChars) ?? null) : null;
    if (typeof part === 'string') return { content: part, isError: false };
    if (part !== null) return failed(part, rules);
    const given = await checked(tool, input);
    if ('why' in given) return errorResult(given.why, maxChars);
    if (!mayAsk(tool, options)) return await perform(tool, given.value, context, rules);
    const approval = await approvalOf(tool, given.value, options);
    if (approval.status === 'denied') return errorResult(approval.failure, maxChars);
    context.signal.throwIfAborted();
    if (approval.status === 'allowed') return await perform(tool, given.value, context, rules);
    const edited = await checked(tool, approval.input);
    if ('why' in edited) return errorResult(failureOfEdit(tool.name, edited.why), maxChars);
    const note = noteOfEdit(approval.input, maxChars);
    const left = { ...rules, maxChars: maxChars - note.length };
    return editedResult(note, approval.input, await perform(tool, edited.value, context, left));
  } catch (thrown) {
    return failed(explain(tool.name, thrown, context.signal), rules);
  }
}

/** What a result is made by. */
type Rules = {
  readonly maxChars: number;
  readonly keep: KeepText;
  readonly isDelegating: boolean;
  readonly now: CallOptions['now'];
};

/** Runs the tool's code; never rejects. */
async function perform(
  tool: AnyTool,
  value: unknown,
  context: ToolContext,
  rules: Rules,
): Promise<ToolResult> {
  const { maxChars, keep, isDelegating, now } = rules;
  const begunAt = now?.() ?? 0;
  try {
    // The tool's own schema made this value, so it is what `run` takes: AnyTool only forgot its type.
    const output = await ended(tool.run(value as never, context), context);
    if (isRefusal(output)) return failed(failure(output.code, output.text), rules);
    const answer = isFitted(output)
      ? output.write(maxChars, keep, (now?.() ?? 0) - begunAt)
      : output;
    const content = toContent(answer, maxChars, keep, isDelegating ? cutMiddle : cutText);
    return { content, isError: false };
  } catch (thrown) {
    return failed(explain(tool.name, thrown, context.signal), rules);
  }
}

function failed(reason: Failure, { maxChars, keep, isDelegating }: Rules): ToolResult {
  const cut = isDelegating ? cutMiddle : cutText;
  return errorResult(reason, maxChars, (text, max) =>
    cut(text, max, isDelegating ? keep : undefined),
  );
}

type Waits = { readonly children: CallWaits; readonly suspended: CallWaits };

/** The same context, with its waits counted. Every call makes one: spelled out it costs a tenth of a spread copy. */
function counting(context: ToolContext, { children, suspended }: Waits): ToolContext {
  const { delegate, background, suspendWhile } = context;
  return {
    signal: context.signal,
    interrupted: context.interrupted,
    agent: context.agent,
    progress: context.progress,
    heartbeat: context.heartbeat,
    recordFile: context.recordFile,
    workspace: context.workspace,
    callId: context.callId,
    promptId: context.promptId,
    idempotencyKey: context.idempotencyKey,
    delegate: (tasks, bounds) => children.during(delegate(tasks, bounds)),
    background: {
      start: background.start,
      list: background.list,
      notify: background.notify,
      wait: (taskId, options) => children.during(background.wait(taskId, options)),
      stop: (taskId) => children.during(background.stop(taskId)),
      steer: background.steer,
      pause: background.pause,
      resume: background.resume,
    },
    suspendWhile: (work) => suspended.during(suspendWhile(work)),
    waitForPerson: context.waitForPerson,
  };
}

/**
 * Resolves one turn of the event loop after the signal aborts, time for a tool that listens to end by itself; with
 * children, after the last of them has ended.
 */
function patienceAfterAbort(
  signal: AbortSignal,
  { children, suspended }: Waits,
  suspendedPatience: CallOptions['suspendedPatience'],
): { over: Promise<null>; dispose(): void } {
  let stop = (): void => {};
  let cancel = (): void => {};
  let isDisposed = false;
  const afterAbort = async (): Promise<null> => {
    await children.none();
    if (suspendedPatience !== undefined && suspended.isOpen && !isDisposed) {
      const overdue = new Promise<void>((resolve) => {
        cancel = suspendedPatience(resolve);
      });
      await Promise.race([suspended.none(), overdue]);
    }
    await nextTurn();
    return null;
  };
  const over = new Promise<null>((resolve) => {
    stop = whenAborted(signal, () => resolve(afterAbort()));
  });
  return {
    over,
    dispose() {
      isDisposed = true;
      stop();
      cancel();
    },
  };
}

/** Refuses arguments that are no object, with an error that a model understands better than a schema's. */
function refuseShape(name: string, input: unknown): Failure | null {
  const why = endlessness(input, maxInput);
  if (why !== null) {
    const text = `The arguments of tool "${name}" are ${why}. Call it again with less.`;
    return failure('tool_arguments_invalid', text);
  }
  if (isRecord(input)) return null;
  const kind = typeof input === 'string' ? 'text: ' : Array.isArray(input) ? 'an array: ' : '';
  return failure(
    'tool_arguments_invalid',
    `Tool "${name}" takes its arguments as one JSON object, got ${kind}${describe(input)}. Call it again with an object.`,
  );
}

/** The arguments as the tool's schema makes them, or why they do not fit, for the model to read. */
async function checked(
  tool: AnyTool,
  input: unknown,
): Promise<{ readonly value: unknown } | { readonly why: Failure }> {
  const refused = refuseShape(tool.name, input);
  if (refused !== null) return { why: refused };
  // Some schemas hand on what they are given: what a tool changes in it is not what the model called it with.
  const judged = await judge(tool, copyData(input));
  if (judged.issues === undefined) return { value: judged.value };
  const text = `The arguments of tool "${tool.name}" are invalid:\n${issueText(judged.issues)}`;
  return { why: failure('tool_arguments_invalid', text) };
}

/** Judges the arguments; objects and lists that a model wrote as JSON texts are read where the schema wants no text. */
async function judge(tool: AnyTool, input: unknown): Promise<SchemaResult<unknown>> {
  const judged = await validate<unknown>(tool.input, input);
  if (judged.issues === undefined) return judged;
  const meant: Record<string, unknown> = { ...(input as object) };
  let isOther = false;
  for (const { path = [] } of judged.issues) {
    const [step] = path;
    const key = typeof step === 'object' ? step.key : step;
    if (path.length > 1 || typeof key !== 'string' || !Object.hasOwn(meant, key)) continue;
    const value = decoded(meant[key]);
    isOther ||= value !== meant[key];
    meant[key] = value;
  }
  const again = isOther ? await validate<unknown>(tool.input, meant) : judged;
  return again.issues === undefined ? again : judged;
}

/** Returns why a call has no answer; an interrupt passes on with the reason of its signal. */
function explain(name: string, thrown: unknown, signal: AbortSignal): Failure {
  if (signal.aborted && isAbort(thrown, signal)) return toFailure(signal.reason, 'interrupted');
  const { message, ...reason } = toFault(thrown, 'tool_failed');
  if (message.trim() === '') return { ...reason, message: failedSilently };
  return { ...reason, message: `Tool "${name}" failed: ${message}` };
}

function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || toFailure(thrown).message.startsWith('AbortError:');
}
