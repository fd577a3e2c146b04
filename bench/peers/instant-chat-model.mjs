// A LangChain chat model that answers at once, with or without one tool call; shared by the langgraph and deepagents peers.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';

// LangChain traces when the environment says so; a benchmark never does.
process.env.LANGSMITH_TRACING = 'false';
process.env.LANGCHAIN_TRACING_V2 = 'false';

export class InstantChatModel extends BaseChatModel {
  #withTool;

  constructor(withTool) {
    super({});
    this.#withTool = withTool;
  }

  _llmType() {
    return 'instant';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const callsTool = this.#withTool && !ToolMessage.isInstance(messages.at(-1));
    const message = callsTool
      ? new AIMessage({
          content: '',
          tool_calls: [{ id: 'call-1', name: 'add', args: { a: 2, b: 3 }, type: 'tool_call' }],
        })
      : new AIMessage('done');
    return { generations: [{ text: callsTool ? '' : 'done', message }] };
  }
}

export function createAddTool(onTool) {
  return tool(
    async ({ a, b }) => {
      onTool();
      return String(a + b);
    },
    {
      name: 'add',
      description: 'Adds two numbers.',
      schema: z.object({ a: z.number(), b: z.number() }),
    },
  );
}
