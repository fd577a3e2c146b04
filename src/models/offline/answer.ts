// Owns how the offline model answers by a schema: from what the run's tools returned and were asked, else names what is
// missing. Pure.
import { isRecord } from '../../base/is-record.ts';
import type { ModelRequest } from '../model.ts';
import { type AnswerSource, fill } from './arguments.ts';
import { digest } from './digest.ts';
import { requestOf } from './reading-plan.ts';
import type { RunSoFar, ToolCallSoFar } from './run-so-far.ts';

export type StructuredAnswer =
  | {
      readonly type: 'call';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'cannot'; readonly text: string };

/** The tool that takes the answer, as the system prompt names it; null of a run that may answer by text. */
export function answerToolOf({ system, tools }: ModelRequest): string | null {
  const name = /^Give your answer by calling (\S+), once\b/m.exec(system)?.[1];
  return name !== undefined && tools.some((tool) => tool.name === name) ? name : null;
}

/** What an answer is made of: what tools returned, then what they were asked; `text` is the answer it would give by text. */
export function answerSource(run: RunSoFar, text: string): AnswerSource {
  const calls = run.calls.filter((call) => !call.isError);
  const results = calls.map(resultOf);
  return {
    goal: requestOf(run.goal),
    about: '',
    facts: [...results.filter(isRecord), ...calls.map(({ input }) => input).filter(isRecord)],
    values: results.filter((value) => !isRecord(value)),
    text,
  };
}

/** An answer that was refused is not given again. */
export function structuredAnswer(
  name: string,
  { tools }: ModelRequest,
  run: RunSoFar,
  source: AnswerSource,
): StructuredAnswer {
  const { text: summary } = source;
  const refusal = run.calls.findLast((call) => call.name === name && call.isError);
  if (refusal !== undefined) return cannot(`its answer was refused: ${refusal.text}`, summary);
  const schema = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
  const filled = fill(schema, source);
  return filled.type === 'filled'
    ? { type: 'call', name, input: filled.value }
    : cannot(
        `nothing that was read, returned or said by name gives its "${filled.field}"`,
        summary,
      );
}

function cannot(why: string, summary: string): StructuredAnswer {
  const text = `The offline model cannot give this answer in its schema: ${why}.\n\n${summary}`;
  return { type: 'cannot', text };
}

/** What a tool has returned as the value it is: facts about a file, JSON, else its text. */
function resultOf({ name, path, text }: ToolCallSoFar): unknown {
  if (name === 'read') {
    const { kind, exports, ...facts } = digest(path, text);
    return { path, file: path, ...facts, exports: exports.map((each) => each.name) };
  }
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: it is its text.
    return text;
  }
}
