// Owns the embedded stand-in for a model: rules that call the tools a goal asks for and quote what they returned. Knows no
// provider.
import { TroupeError, unreachable } from '../../base/failures.ts';
import type { AssistantBlock } from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { Model, ModelCall, ModelRequest } from '../model.ts';
import { emissions, outputsOf } from '../offline-outputs.ts';
import { countChars, countHeadChars, estimateTokens } from '../token-estimate.ts';
import { answerSource, answerToolOf, structuredAnswer } from './answer.ts';
import { type DelegationStep, delegationStep } from './delegation.ts';
import { findPaths } from './digest.ts';
import { filesIn } from './reading-plan.ts';
import { type RunSoFar, readRun, type ToolCallSoFar } from './run-so-far.ts';
import { writeSummary } from './summary.ts';
import { chooseTools, type ToolChoices } from './tool-choice.ts';

const charsPerToken = 4;
const maxFiles = 4;
const maxListedFiles = 2;
/** Tool calls are made in the first three turns at most; the fourth always answers. */
const lastToolTurn = 3;

/** Lines that carry the structure of a file too long to be read whole. */
const structurePattern = '^(#{1,6} |export )';

type WantedCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/**
 * The offline model: reads the files a goal names, calls the tools whose name or purpose it contains, or lists the
 * workspace when there is neither, and answers with quotations. It fills arguments from the text of the goal, an answer
 * by `outputSchema` and the variables of `outputs` from what tools returned, and names what is missing. Deterministic,
 * free, at most four turns a run, and those that a refused answer costs; its token counts are estimates. With the tool
 * `delegate_task` and a goal about several files it hands them to subagents, folder by folder, as many at a time as the
 * tool allows, and quotes their answers.
 */
export function offline(): Omit<Model, 'respond'> & { readonly respond: typeof respond } {
  return { id: 'offline', price: 0, respond };
}

async function respond(request: ModelRequest, call: ModelCall): Promise<ModelResponse> {
  if (call.signal.aborted) throw new TroupeError('aborted', 'the model call was aborted');
  const run = readRun(request.messages);
  const step = delegationStep(run, request);
  const structuredOutputTool = answerToolOf(request);
  const outputs = outputsOf(request);
  const reserved = new Set(
    [structuredOutputTool, outputs?.tool].filter((name) => typeof name === 'string'),
  );
  const work = { ...run, calls: run.calls.filter(({ name }) => !reserved.has(name)) };
  const choices = chooseTools(work, request.tools, reserved);
  const tools = new Set(
    request.tools.map((tool) => tool.name).filter((name) => !reserved.has(name)),
  );
  const wanted = step === null ? nextCalls(work, tools, choices) : callsOf(step);
  if (wanted.length > 0) return calling(request, wanted);
  const answerText = step?.type === 'answer' ? step.text : summaryOf(work, choices, tools);
  const source = answerSource(work, answerText);
  const emitted = outputs === null ? [] : emissions(outputs, run, source);
  const answer =
    structuredOutputTool === null
      ? null
      : structuredAnswer(structuredOutputTool, request, run, source);
  const emits = answer?.type === 'call' ? [...emitted, answer] : emitted;
  if (emits.length > 0) return calling(request, emits);
  const whole = answer?.type === 'cannot' ? answer.text : answerText;
  const maxChars = (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charsPerToken;
  const text = whole.length > maxChars ? whole.slice(0, maxChars) : whole;
  call.onDelta({ type: 'text', text });
  const stopReason = text.length < whole.length ? 'max_tokens' : 'end_turn';
  return response(request, [{ type: 'text', text }], stopReason);
}

function calling(request: ModelRequest, wanted: readonly WantedCall[]): ModelResponse {
  const content = wanted.map(({ name, input }, index): AssistantBlock => {
    return { type: 'tool_use', id: `call_${request.messages.length}_${index + 1}`, name, input };
  });
  return response(request, content, 'tool_use');
}

function summaryOf(run: RunSoFar, { left }: ToolChoices, tools: ReadonlySet<string>): string {
  const summary = writeSummary(run, unreadOf(run), tools.size > 0 && left.length === 0);
  return [summary, ...left].join('\n\n');
}

function callsOf(step: DelegationStep): readonly WantedCall[] {
  switch (step.type) {
    case 'list':
      return step.folders.map((path) => ({ name: 'list', input: { path } }));
    case 'delegate':
      return [{ name: 'delegate_task', input: step.input }];
    case 'answer':
      return [];
    default:
      return unreachable(step);
  }
}

/** What to call next; empty when it is time to answer. */
function nextCalls(
  run: RunSoFar,
  tools: ReadonlySet<string>,
  { calls }: ToolChoices,
): readonly WantedCall[] {
  if (run.turns >= lastToolTurn) return [];
  if (run.calls.length === 0) return [...firstCalls(run.goal, tools, calls.length > 0), ...calls];
  if (tools.has('read')) {
    const unread = unreadOf(run).slice(0, maxFiles);
    if (unread.length > 0) return unread.map((path) => ({ name: 'read', input: { path } }));
  }
  const has = (name: string): boolean => run.calls.some((call) => call.name === name);
  if (has('list') && !has('read') && tools.has('read')) {
    return pickListed(run).map((path) => ({ name: 'read', input: { path } }));
  }
  if (tools.has('grep') && !has('grep')) {
    return run.calls.filter(isCutRead).map(({ path }) => grepCall(path));
  }
  return [];
}

function firstCalls(
  goal: string,
  tools: ReadonlySet<string>,
  hasOthers: boolean,
): readonly WantedCall[] {
  const paths = filesIn(goal).slice(0, maxFiles);
  if (paths.length > 0 && tools.has('read')) {
    return paths.map((path) => ({ name: 'read', input: { path } }));
  }
  if (paths.length > 0 && tools.has('grep')) return paths.map(grepCall);
  return tools.has('list') && !hasOthers ? [{ name: 'list', input: {} }] : [];
}

/** Files that the goal names and that were not opened. */
function unreadOf({ goal, calls }: RunSoFar): readonly string[] {
  const opened = new Set(calls.map(({ path }) => path));
  return filesIn(goal).filter((path) => !opened.has(path));
}

function grepCall(path: string): WantedCall {
  return { name: 'grep', input: { pattern: structurePattern, path } };
}

function isCutRead(call: ToolCallSoFar): boolean {
  return call.name === 'read' && call.cut !== null && !call.isError;
}

/** The listed files whose names share a word with the goal, else the README. */
function pickListed({ goal, calls }: RunSoFar): readonly string[] {
  const listed = calls
    .filter((call) => call.name === 'list' && !call.isError)
    .flatMap((call) => call.text.split('\n').flatMap((line) => findPaths(line)));
  const words = new Set(goal.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
  const named = listed.filter((path) => {
    return (path.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).some((word) => words.has(word));
  });
  const readme = listed.filter((path) => /^readme\b/i.test(path));
  return (named.length > 0 ? named : readme).slice(0, maxListedFiles);
}

function response(
  request: ModelRequest,
  content: readonly AssistantBlock[],
  stopReason: ModelResponse['stopReason'],
): ModelResponse {
  const inputChars = countHeadChars(request.system, request.tools) + countChars(request.messages);
  return {
    content,
    stopReason,
    usage: {
      inputTokens: estimateTokens(inputChars),
      outputTokens: estimateTokens(countChars([{ role: 'assistant', content }])),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
    isEstimated: true,
    model: 'offline',
  };
}
