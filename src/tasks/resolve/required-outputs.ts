// Adds to an agent spec the tools for required outputs and skills, and the fields that its loop reads. Pure.
import { emitTool, emitToolNames } from '../../agent/emit-tool.ts';
import {
  defaultMaxCorrections,
  structuredOutputTool,
  structuredOutputToolName,
} from '../../agent/structured-output-tool.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { LoopSettings } from '../../protocol/loop-settings.ts';
import type { GrantedTool, WorkerSpec } from '../../protocol/worker-spec.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { describeTool } from '../../tools/tool-module.ts';
import type { Settings } from './settings.ts';

export type RequiredOutputTools = {
  /** Granted beside the agent's own; no right of its children. */
  readonly tools: readonly GrantedTool[];
  readonly shared: Pick<WorkerSpec, 'outputs' | 'answer'> & LoopSettings;
};

/**
 * A run's required outputs, with the tool for its skills. Throws `schemaFault` for a schema that no model can be shown,
 * `invalid_tool` when a tool of the agent has the name of one of these, `unknown_tool` for a finishing tool, or one to be
 * called always, that the agent does not have.
 */
export function requiredOutputsOf(
  { loop: settings, outputs: variables, outputSchema, toolChoice }: Settings,
  granted: readonly GrantedTool[],
  skills: AnyTool | null,
  schemaFault: 'invalid_task' | 'invalid_agent',
): RequiredOutputTools {
  const { maxCorrections = defaultMaxCorrections, ...loop } = settings;
  const tools: GrantedTool[] = [];
  const add = (tool: AnyTool, where: GrantedTool['where']): void => {
    tools.push({ ...describeTool(tool), where });
  };
  if (skills !== null) add(skills, 'host');
  if (outputSchema !== undefined) {
    add(
      structuredOutputTool(outputSchema, () => {}, schemaFault),
      'host',
    );
  }
  const toolNames = loop.emitToolNames ?? emitToolNames;
  const outputs = variables === undefined ? undefined : { variables, toolNames };
  if (outputs !== undefined) {
    add(
      emitTool(outputs, () => {}),
      'thread',
    );
  }
  const names = new Set(granted.map(({ name }) => name));
  const taken = tools.find(({ name }) => names.has(name));
  if (taken !== undefined) {
    const why = `outputs, outputSchema and skills bring a tool ${describe(taken.name)}, and the agent has one of that name`;
    throw new TroupeError('invalid_tool', why);
  }
  refuseUnknown('loop.finishTools', loop.finishTools ?? [], names);
  for (const { name } of tools) names.add(name);
  if (typeof toolChoice === 'object') refuseUnknown('toolChoice', [toolChoice.tool], names);
  const answer =
    outputSchema === undefined ? undefined : { tool: structuredOutputToolName, maxCorrections };
  return { tools, shared: { ...loop, ...omitUndefined({ outputs, answer }) } };
}

function refuseUnknown(field: string, asked: readonly string[], names: ReadonlySet<string>): void {
  const unknown = asked.find((name) => !names.has(name));
  if (unknown === undefined) return;
  const why = `${field} names ${describe(unknown)}, which the agent does not have`;
  throw new TroupeError('unknown_tool', why);
}
