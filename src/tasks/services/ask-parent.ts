// Owns the tool by which an agent asks upward: its shape and its settings. Who is asked and how long is questions.ts.
import { z } from 'zod';
import { TroupeError } from '../../base/failures.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { defineTool } from '../../tools/define-tool.ts';
import type { AnyTool, Tool } from '../../tools/tool.ts';

/** The options of `askParentTool`. */
export type AskParentOptions = {
  /** What the model calls it. Default `ask_parent`. */
  readonly name?: string;
  /** Milliseconds an answer is awaited, while the clocks stand still. Default 600,000. */
  readonly timeoutMs?: number;
  /** The text the model goes on with when no answer comes; without it such a call is an error the model can see. */
  readonly defaultAnswer?: string;
};

/** How long a question waits, and what replaces its answer. */
type AskSettings = {
  readonly timeoutMs: number;
  readonly defaultAnswer: string | undefined;
};

const inputSchema = z.object({
  question: z
    .string()
    .refine((text) => text.trim() !== '', 'expected a question')
    .describe('What you need to know, with what one has to know to answer it.'),
  options: z.array(z.string()).optional().describe('Answers to choose from, where there are some.'),
});

type AskInput = z.infer<typeof inputSchema>;

/** One question, and the call that asks it. */
export type Asked = AskInput & AskSettings & { readonly callId: string };

type AskTool = Tool<AskInput> & { readonly asksParent: AskSettings };

const defaultQuestionTimeoutMs = 600_000;

const optionsSchema = z.strictObject({
  name: z.string().optional(),
  timeoutMs: z.number().positive().finite().optional(),
  defaultAnswer: z.string().min(1).optional(),
});

/**
 * A tool that asks the delegating side a question: one request, one reply. The program answers, by `onQuestion` or
 * `supervisor.answer`; no person is asked. An agent has it only when it is registered or named for it, and
 * below a parent that has it too or by `grantedTools`. Throws `invalid_options`, `invalid_tool`.
 */
export function askParentTool(options: AskParentOptions = {}): Tool<AskInput> {
  parseOptions(optionsSchema, options, 'askParentTool');
  const { name = 'ask_parent', timeoutMs = defaultQuestionTimeoutMs, defaultAnswer } = options;
  const tool = defineTool<AskInput>({
    name,
    description:
      'Asks the agent or person who gave you this task for something you cannot find out yourself. Use it rarely: work stands still until the answer comes.',
    input: inputSchema,
    run: () => {
      throw new TroupeError('tool_failed', 'no agent and no person is above this loop to be asked');
    },
  });
  return Object.freeze({ ...tool, asksParent: { timeoutMs, defaultAnswer } });
}

/** The same tool for one agent, whose questions go to `ask`. */
export function boundAskTool(
  { asksParent, ...tool }: AskTool,
  ask: (asked: Asked, signal: AbortSignal) => Promise<string>,
): AnyTool {
  return {
    ...tool,
    // The call waits on the host: its agent may be parked meanwhile (V7).
    run: (input: AskInput, { callId, signal, suspendWhile }) =>
      suspendWhile(ask({ ...input, ...asksParent, callId }, signal)),
  };
}

/** True for a tool that `askParentTool` made. */
export function asksParent(tool: AnyTool | AskTool): tool is AskTool {
  return 'asksParent' in tool;
}
