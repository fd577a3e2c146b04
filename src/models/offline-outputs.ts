// Owns how the offline model emits a run's required outputs: from what its tools returned and were asked, from the goal
// where it names one, else as its whole answer. Pure.
import { isRecord } from '../base/is-record.ts';
import type { ModelRequest } from './model.ts';
import { type AnswerSource, fill } from './offline/arguments.ts';
import type { RunSoFar } from './offline/run-so-far.ts';

export type NamedOutputs = {
  readonly tool: string;
  /** What the tool calls the name of a variable, and its value. */
  readonly toolNames: { readonly name: string; readonly value: string };
  readonly variables: readonly string[];
};

export type Emission = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

const line = /^- Call (\S+) with (\S+) "([^"]+)" and this as (\S+):/gm;

/** The variables that the system prompt names, with the tool that takes them; null for a run that requires none. */
export function outputsOf({ system, tools }: ModelRequest): NamedOutputs | null {
  const [, part = ''] = system.split(/^# Outputs$/m);
  const lines = [...part.matchAll(line)];
  const [, tool = '', name = '', , value = ''] = lines[0] ?? [];
  if (!tools.some((each) => each.name === tool)) return null;
  return { tool, toolNames: { name, value }, variables: lines.map((match) => match[3] ?? '') };
}

/** A call for each variable that was not emitted yet; one that was refused is not emitted again. */
export function emissions(
  { tool, toolNames, variables }: NamedOutputs,
  run: RunSoFar,
  source: AnswerSource,
): readonly Emission[] {
  const tried = new Set(
    run.calls.flatMap(({ name, input }) =>
      name === tool && isRecord(input) ? [input[toolNames.name]] : [],
    ),
  );
  const [only, ...others] = source.values;
  // The one value that was returned is the one variable that is asked for.
  const named = variables.length === 1 && only !== undefined && others.length === 0;
  const facts = named ? [...source.facts, { [variables[0] ?? '']: only }] : source.facts;
  const text = { ...source, values: [], facts: facts.map(asTexts) };
  return variables
    .filter((variable) => !tried.has(variable))
    .flatMap((variable) => {
      const schema = { properties: { [variable]: { type: 'string' } }, required: [variable] };
      const filled = fill(schema, text);
      if (filled.type === 'missing') return [];
      return [
        {
          name: tool,
          input: { [toolNames.name]: variable, [toolNames.value]: filled.value[variable] },
        },
      ];
    });
}

function asTexts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
