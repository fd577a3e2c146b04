// A one-turn agent on @openai/agents with an in-process model and tracing off; measures nothing.
import { Agent, run, setTracingDisabled, tool, Usage } from '@openai/agents';
import { z } from 'zod';

setTracingDisabled(true);

const answer = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done' }],
};

const call = {
  type: 'function_call',
  callId: 'call-1',
  name: 'add',
  arguments: '{"a":2,"b":3}',
  status: 'completed',
};

class InstantModel {
  #withTool;

  constructor(withTool) {
    this.#withTool = withTool;
  }

  async getResponse({ input }) {
    const hasResult =
      Array.isArray(input) && input.some((item) => item.type === 'function_call_result');
    return { usage: new Usage(), output: [this.#withTool && !hasResult ? call : answer] };
  }

  getStreamedResponse() {
    throw new Error('the benchmark does not stream');
  }
}

/** Builds the agent once; `run` gives it one task and returns its answer. */
export function createAgent({ withTool, onTool }) {
  const add = tool({
    name: 'add',
    description: 'Adds two numbers.',
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => {
      onTool();
      return String(a + b);
    },
  });
  const agent = new Agent({
    name: 'worker',
    instructions: 'Answer the task.',
    model: new InstantModel(withTool),
    tools: withTool ? [add] : [],
  });
  return {
    async run(goal) {
      const { finalOutput } = await run(agent, goal);
      return finalOutput;
    },
  };
}
