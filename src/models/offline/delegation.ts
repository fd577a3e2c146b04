// Owns how the offline model delegates: its place in the tree, the next subagents, how it combines results. Pure.

import type { ModelRequest } from '../model.ts';
import { clip } from './digest.ts';
import { lookAround } from './listing.ts';
import { filesIn, type PlannedTask, type PlanPlace, planTasks, requestOf } from './reading-plan.ts';
import type { RunSoFar, ToolCallSoFar } from './run-so-far.ts';

export type DelegationStep =
  | { readonly type: 'list'; readonly folders: readonly string[] }
  | { readonly type: 'delegate'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: 'answer'; readonly text: string };

type Place = PlanPlace & { readonly isRoot: boolean };

const tool = 'delegate_task';
const nothingFound = 'Nothing was found to read: there is no source and no document.';
/** Characters of a summary: one that goes to a parent has to fit beside its siblings'. */
const maxChars = { root: 40_000, child: 6_000 } as const;

/**
 * The next step of an agent that may delegate; null for an agent that may not, or has nothing to share out: it does the
 * work itself. Like any model, it reads from the tool's description and the system prompt what it may ask of subagents.
 */
export function delegationStep(run: RunSoFar, request: ModelRequest): DelegationStep | null {
  const place = placeOf(request);
  if (place === null) return null;
  const offered = new Set(request.tools.map(({ name }) => name));
  const named = filesIn(run.goal);
  if (named.length === 1) return null;
  const around = named.length === 0 && offered.has('list') ? lookAround(run.goal, run.calls) : null;
  if (around !== null && around.next.length > 0) return { type: 'list', folders: around.next };
  const files = around?.files ?? named;
  if (files.length === 0) {
    return around === null ? null : { type: 'answer', text: nothingFound };
  }

  const wording = requestOf(run.goal);
  const planned = planTasks(wording, files, place);
  const calls = run.calls.filter(({ name }) => name === tool);
  const answered = calls.filter(({ isError }) => !isError);
  const done = answered.reduce((sum, call) => sum + tasksOf(call), 0);
  const limit = limitAfter(calls, place.limit);
  if (done < planned.length && limit > 0) {
    const next = planned.slice(done, done + limit);
    return { type: 'delegate', input: inputOf(next, wording, offered.has('read')) };
  }
  // No subagent took a task: the agent does the work itself.
  if (answered.length === 0) return null;
  return { type: 'answer', text: combine(planned, calls, { files, isRoot: place.isRoot }) };
}

function placeOf({ tools, system }: ModelRequest): Place | null {
  const offered = tools.find(({ name }) => name === tool);
  if (offered === undefined) return null;
  const max = Number(/\bAt most (\d+) tasks? in one call\b/.exec(offered.description)?.[1] ?? 3);
  const [, depth, deepest] = /\bat depth (\d+) of (\d+)\b/.exec(system) ?? [];
  const mayNest = depth !== undefined && Number(depth) + 1 < Number(deepest);
  return { limit: Math.max(1, max), mayNest, isRoot: depth === '0' };
}

/** A refusal that names a lower limit is heeded; any other one ends the delegating. */
function limitAfter(calls: readonly ToolCallSoFar[], limit: number): number {
  return calls
    .filter(({ isError }) => isError)
    .reduce((lowest, { text }) => {
      const results = Number(/\bthe limit is (\d+)\b/.exec(text)?.[1] ?? 0);
      return results < lowest ? results : 0;
    }, limit);
}

function inputOf(
  tasks: readonly PlannedTask[],
  request: string,
  mayRead: boolean,
): Readonly<Record<string, unknown>> {
  const context = `A part of a larger task: “${clip(request)}”. Other subagents have the other parts. Paths are relative to the working folder.`;
  return {
    tasks: tasks.map(({ goal, role }) => ({
      goal,
      context,
      role,
      ...(mayRead ? { toolsets: ['file'] } : {}),
    })),
  };
}

function tasksOf({ input }: ToolCallSoFar): number {
  const tasks = fieldOf(input, 'tasks');
  return Array.isArray(tasks) ? tasks.length : 1;
}

type Part = { readonly title: string; readonly status: string; readonly summary: string };

function combine(
  planned: readonly PlannedTask[],
  calls: readonly ToolCallSoFar[],
  { files, isRoot }: { readonly files: readonly string[]; readonly isRoot: boolean },
): string {
  const results = calls.filter(({ isError }) => !isError).flatMap(readResults);
  const parts = planned.map(({ title }, at): Part => {
    return { title, ...(results[at] ?? { status: 'not started', summary: '' }) };
  });
  const refused = calls.filter(({ isError }) => isError).map(({ text }) => clip(text));
  const share = Math.floor((isRoot ? maxChars.root : maxChars.child) / parts.length);
  const head = `${files.length} files in ${parts.length} parts, each given to a subagent: ${countsOf(parts)}.`;
  return [
    head,
    ...refused.map((text) => `A call was refused: ${text}`),
    ...parts.map((part) => describePart(part, share)),
  ].join('\n\n');
}

function countsOf(parts: readonly Part[]): string {
  const counts = new Map<string, number>();
  for (const { status } of parts) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** Quotes its summary line by line. */
function describePart({ title, status, summary }: Part, share: number): string {
  const head = status === 'completed' ? `## ${title}` : `## ${title}: ${status}`;
  if (summary.trim() === '') return head;
  return `${head}\n${cutLines(summary, share)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')}`;
}

function cutLines(text: string, max: number): readonly string[] {
  const lines = text.split('\n');
  let remaining = max;
  const end = lines.findIndex((line) => {
    remaining -= line.length + 3;
    return remaining < 0;
  });
  if (end === -1) return lines;
  const kept = end === 0 ? [clip(lines[0] ?? '', Math.max(80, max))] : lines.slice(0, end);
  return [...kept, `… (${lines.length - kept.length} more lines)`];
}

function readResults(call: ToolCallSoFar): readonly Omit<Part, 'title'>[] {
  const results = fieldOf(parse(call.text), 'results');
  if (!Array.isArray(results)) {
    // The result was cut on its way: its readable part is used for every task of the call.
    const unread = { status: 'unreadable', summary: clip(call.text) };
    return Array.from({ length: tasksOf(call) }, () => unread);
  }
  return results.map((entry: unknown) => {
    const status = textOf(fieldOf(entry, 'status')) || 'unknown';
    const why = textOf(fieldOf(fieldOf(entry, 'error'), 'message'));
    const summary = textOf(fieldOf(entry, 'summary'));
    return { status: why === '' ? status : `${status}: ${clip(why)}`, summary };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the caller reports the result as unreadable.
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
