// Owns the tools on the host that a run brings itself, and how long a result of them may be.
import { isSkillText, maxSkillChars, skillTool } from '../../agent/skill-tool.ts';
import { structuredOutputTool } from '../../agent/structured-output-tool.ts';
import type { HostToolCall } from '../../protocol/host-services.ts';
import type { CallOptions } from '../../tools/call.ts';
import { keepResult } from '../../tools/kept-results.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Run } from '../state.ts';

/** The tool by which its run answers, and the one by which it loads skills: what one run was sent, the next was not. */
export function toolsOfRun(run: Run): readonly AnyTool[] {
  const { outputSchema, skills } = run.spec;
  const answer =
    outputSchema === undefined
      ? []
      : [
          structuredOutputTool(outputSchema, (value) => {
            run.answer = { value };
          }),
        ];
  const loading = skillTool(skills);
  return loading === null ? answer : [...answer, loading];
}

/** How long a result of the agent's host tools may be, and where the rest goes. */
export function callOptions({ id: agentId, spec }: Run, call: HostToolCall): CallOptions {
  const { workspace, toolSettings } = spec.shared;
  const { maxResultChars, keepResults } = toolSettings;
  if (isSkillText(call)) return { maxResultChars: maxSkillChars };
  if (keepResults !== true) return { maxResultChars };
  const { callId } = call;
  return { maxResultChars, keep: (text) => keepResult(text, { workspace, agentId, callId }) };
}
