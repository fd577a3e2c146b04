// Adds to an agent spec the tools for required outputs and skills, and the fields that its loop reads. Pure.
import type { AgentDefinition, RunOptions } from '../../agent/definition.ts';
import { emitTool, emitToolNames } from '../../agent/emit-tool.ts';
import { mergeSettings } from '../../agent/loop-settings.ts';
import {
  defaultMaxCorrections,
  structuredOutputTool,
  structuredOutputToolName,
} from '../../agent/structured-output-tool.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { LoopSettings } from '../../protocol/loop-settings.ts';
import type { ToolChoice } from '../../protocol/model-settings.ts';
import type { GrantedTool, WorkerSpec } from '../../protocol/worker-spec.ts';
import type { AnyTool, InputSchema } from '../../tools/tool.ts';
import { describeTools } from '../../tools/tool-module.ts';

export type RequiredOutputTools = {
  /** Granted beside the agent's own; no right of its children. */
  readonly tools: readonly GrantedTool[];
  readonly shared: Pick<WorkerSpec, 'outputs' | 'answer'> & LoopSettings;
  readonly outputSchema: InputSchema | undefined;
};

/**
 * A run's required outputs, with the tool for its skills; the task wins. Throws `invalid_task` or `invalid_agent` for a
 * schema that no model can be shown, `invalid_tool` when a tool of the agent has the name of one of these,
 * `unknown_tool` for a finishing tool, or one to be called always, that the agent does not have.
 */
export function requiredOutputsOf(
  task: RunOptions,
  definition: AgentDefinition | null,
  granted: readonly GrantedTool[],
  skills: AnyTool | null = null,
): RequiredOutputTools {
  const { maxCorrections = defaultMaxCorrections, ...loop } = mergeSettings<LoopSettings>(
    task.loop,
    definition?.loop,
  );
  const outputSchema = task.outputSchema ?? definition?.outputSchema;
  const variables = task.outputs ?? definition?.outputs;
  const tools: GrantedTool[] = skills === null ? [] : [...granting(skills, 'host')];
  if (outputSchema !== undefined) {
    const code = task.outputSchema === undefined ? 'invalid_agent' : 'invalid_task';
    tools.push(
      ...granting(
        structuredOutputTool(outputSchema, () => {}, code),
        'host',
      ),
    );
  }
  const outputs =
    variables === undefined
      ? undefined
      : { variables, toolNames: loop.emitToolNames ?? emitToolNames };
  if (outputs !== undefined)
    tools.push(
      ...granting(
        emitTool(outputs, () => {}),
        'thread',
      ),
    );
  for (const { name } of tools) {
    if (!granted.some((tool) => tool.name === name)) continue;
    const why = `outputs, outputSchema and skills bring a tool ${describe(name)}, and the agent has one of that name`;
    throw new TroupeError('invalid_tool', why);
  }
  checkFinishTools(loop.finishTools ?? [], granted);
  checkToolChoice(task.toolChoice ?? definition?.toolChoice, [...granted, ...tools]);
  const answer = { tool: structuredOutputToolName, maxCorrections };
  return {
    tools,
    shared: {
      ...loop,
      ...(outputs === undefined ? {} : { outputs }),
      ...(outputSchema === undefined ? {} : { answer }),
    },
    outputSchema,
  };
}

function checkFinishTools(names: readonly string[], granted: readonly GrantedTool[]): void {
  const unknown = names.find((name) => !granted.some((tool) => tool.name === name));
  if (unknown === undefined) return;
  const why = `loop.finishTools names ${describe(unknown)}, which the agent does not have`;
  throw new TroupeError('unknown_tool', why);
}

function checkToolChoice(choice: ToolChoice | undefined, offered: readonly GrantedTool[]): void {
  if (typeof choice !== 'object' || offered.some(({ name }) => name === choice.tool)) return;
  const why = `toolChoice names ${describe(choice.tool)}, which the agent does not have`;
  throw new TroupeError('unknown_tool', why);
}

function granting(tool: AnyTool, where: GrantedTool['where']): readonly GrantedTool[] {
  return describeTools([tool]).map((described) => ({ ...described, where }));
}
