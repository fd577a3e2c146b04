// Owns the tool by which an agent gives its answer by schema (D19). Runs on the host, where the schema is.
import { TroupeError, toFailure } from '../base/failures.ts';
import { defineTool } from '../tools/define-tool.ts';
import { jsonSchemaOf } from '../tools/schema.ts';
import type { AnyTool, InputSchema } from '../tools/tool.ts';

/** What the tool is called. */
export const structuredOutputToolName = 'generate_response';

/** How often an answer that does not fit may be corrected by default. */
export const defaultMaxCorrections = 3;

/**
 * The tool whose arguments are the answer: judged by the schema, which makes the value that `accept` is handed.
 * Throws `code` when the schema cannot be shown to a model, naming the field.
 */
export function structuredOutputTool(
  schema: InputSchema,
  accept: (value: unknown) => void,
  code: 'invalid_task' | 'invalid_agent' = 'invalid_task',
): AnyTool {
  try {
    jsonSchemaOf(schema);
  } catch (error) {
    const { message } = toFailure(error, code);
    throw new TroupeError(code, `outputSchema: ${message.replace(/^input /, 'it ')}`, {
      detail: { field: 'outputSchema' },
    });
  }
  return defineTool({
    name: structuredOutputToolName,
    description: 'Gives your final answer and ends your work. The arguments are the answer.',
    input: schema,
    run(value) {
      // An answer travels with the outcome, to a parent in its thread too.
      accept(structuredClone(value));
      return 'Your answer was accepted.';
    },
  });
}
