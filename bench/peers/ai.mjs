// A one-turn agent on the Vercel AI SDK and its own mock model; measures nothing.
import { ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const answer = {
  content: [{ type: 'text', text: 'done' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
  warnings: [],
};

const call = {
  content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'add', input: '{"a":2,"b":3}' }],
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  usage,
  warnings: [],
};

/** Builds the agent once; `run` gives it one task and returns its answer. */
export function createAgent({ withTool, onTool }) {
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => (withTool && prompt.at(-1)?.role === 'user' ? call : answer),
  });
  const add = tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => {
      onTool();
      return String(a + b);
    },
  });
  const agent = new ToolLoopAgent({
    model,
    instructions: 'Answer the task.',
    ...(withTool ? { tools: { add } } : {}),
  });
  return {
    async run(goal) {
      const { text } = await agent.generate({ prompt: goal });
      return text;
    },
  };
}
