// Owns the tool by which a run emits its declared variables. Runs in the agent's thread and knows no registry (B17).
import { describe } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import type { EmitToolNames, Outputs } from '../protocol/required-outputs.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { AnyTool, InputSchema, SchemaIssue, SchemaResult } from '../tools/tool.ts';

/** The names of the tool and of its arguments where no dialect brings its own. */
export const emitToolNames: EmitToolNames = { tool: 'emit_value', name: 'name', value: 'value' };

type Emission = { readonly name: string; readonly value: string };

/** The tool of one run; `onEmit` receives each accepted value, also for a repeated name (B22). */
export function emitTool(
  { variables, toolNames }: Outputs,
  onEmit: (name: string, value: string) => void,
): AnyTool {
  return defineTool<Emission>({
    name: toolNames.tool,
    description:
      'Hands over the value of one output variable. A variable that is emitted again is replaced.',
    input: emissionSchema(Object.keys(variables), toolNames),
    idempotent: true,
    run({ name, value }) {
      onEmit(name, value);
      return `${name} was emitted.`;
    },
  });
}

/** A Standard Schema by hand: this runs in threads, which carry no schema library (T9). */
function emissionSchema(names: readonly string[], toolNames: EmitToolNames): InputSchema<Emission> {
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => judge(value, names, toolNames),
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: {
            [toolNames.name]: { type: 'string', enum: [...names] },
            [toolNames.value]: { type: 'string' },
          },
          required: [toolNames.name, toolNames.value],
          additionalProperties: false,
        }),
      },
    },
  };
}

function judge(
  input: unknown,
  names: readonly string[],
  toolNames: EmitToolNames,
): SchemaResult<Emission> {
  const given = isRecord(input) ? input : {};
  const { [toolNames.name]: name, [toolNames.value]: value } = given;
  const issues: SchemaIssue[] = [];
  if (typeof name !== 'string' || !names.includes(name)) {
    const message = `there is no variable ${describe(name)}; emit one of: ${names.join(', ')}`;
    issues.push({ message, path: [toolNames.name] });
  }
  const text = textOf(value);
  if (text === null) {
    const message = `expected a text, got ${describe(value)}; write what it holds as one text`;
    issues.push({ message, path: [toolNames.value] });
  }
  if (issues.length > 0 || typeof name !== 'string' || text === null) return { issues };
  return { value: { name, value: text } };
}

/** Models write a count as a number and a yes as a boolean, whatever the schema asks for (B17). */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
