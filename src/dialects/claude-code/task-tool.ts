// Owns dialect E: a minimal `task` tool. A fresh message list in, the last text out, and no recursion.
import { z } from 'zod';
import { type AgentDefinition, toolReferenceSchema } from '../../agent/definition.ts';
import { modelRefSchema } from '../../agent/model-choice.ts';
import { asTrustedTask } from '../../agent/trusted-task.ts';
import { TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { delegateOne } from '../../tools/delegate-one.ts';
import { describeOutcome, withImages } from '../../tools/describe-outcome.ts';
import { capabilityTags } from '../../tools/tags.ts';
import { timeoutSchema } from '../../tools/timeout-schema.ts';
import type { Tool } from '../../tools/tool.ts';

const name = 'task';
const maxRounds = 30;
const maxOutputTokens = 8_000;
const noSummary = '(no summary)';
const childPrompt =
  'You are a coding subagent. Complete the given task with your tools, then summarize what you found. ' +
  'Only your last message is returned.';

/** The children of the tool: their model, tools, prompt and limits. */
export type TaskToolOptions = Pick<AgentDefinition, 'model' | 'tools' | 'toolsets'> & {
  /** The child's own system prompt. */
  readonly prompt?: string;
  /** Model rounds of a child, never more than the supervisor's `budget.maxTurns`. Default 30. */
  readonly maxTurns?: number;
  /** Milliseconds a call may take; then its child is stopped. Default: none. */
  readonly timeoutMs?: number;
};

const optionsSchema = z.strictObject({
  model: modelRefSchema.optional(),
  tools: z.array(toolReferenceSchema).optional(),
  toolsets: z.array(z.string().min(1)).optional(),
  prompt: z.string().optional(),
  maxTurns: z.number().int().min(1).optional(),
  timeoutMs: timeoutSchema.optional(),
});

const input = z.object({
  prompt: z.string().min(1).describe('What the subagent is to do; it sees nothing else.'),
});

/**
 * The tool `task` for an agent of the tree or, through `session.tools`, for any loop. The child has the tools it is given
 * here, whatever its caller has, else all of its caller's, and never `task` itself. Throws `invalid_options`.
 */
export function taskTool(options: TaskToolOptions = {}): Tool<z.output<typeof input>> {
  parseOptions(optionsSchema, options, 'taskTool');
  const { prompt = childPrompt, maxTurns = maxRounds, timeoutMs, ...given } = options;
  const child = asTrustedTask({
    ...given,
    name,
    prompt,
    maxTurns,
    maxOutputTokens: maxOutputTokens,
    disallowedTools: [name],
    // Options that name tools name all of them: toolsets are added only if they name them too.
    ...(given.tools === undefined ? {} : { toolsets: given.toolsets ?? [] }),
  });
  return defineTool({
    name,
    description:
      'Spawn a subagent with a fresh context. It shares the file system, not the conversation. ' +
      'It returns its final text only.',
    input,
    tags: [capabilityTags.delegation],
    timeoutMs,
    async run(task, tool) {
      const outcome = await delegateOne(tool, { goal: task.prompt, agent: child });
      return withImages(textOf(outcome), outcome);
    },
  });
}

/** The text of the last response; what no response can explain is an error result. */
function textOf(outcome: Outcome): string {
  const { exitReason, lastText, error } = outcome;
  if (exitReason === 'goal' || exitReason === 'max_turns') return lastText || noSummary;
  // A child that ended its turn without a text has no summary; its earlier messages are none (E12).
  if (error?.code === 'model_empty_answer') return noSummary;
  const { reason, soFar } = describeOutcome(outcome);
  throw TroupeError.from({ ...reason, message: `${reason.message}${soFar}` });
}
