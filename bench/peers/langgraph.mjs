// A one-turn agent on LangGraph's prebuilt loop with an in-process model; measures nothing.
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createAddTool, InstantChatModel } from './instant-chat-model.mjs';

/** Builds the agent once; `run` gives it one task and returns its answer. */
export function createAgent({ withTool, onTool }) {
  const agent = createReactAgent({
    llm: new InstantChatModel(withTool),
    tools: withTool ? [createAddTool(onTool)] : [],
    prompt: 'Answer the task.',
  });
  return {
    async run(goal) {
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: goal }] });
      return messages.at(-1)?.content;
    },
  };
}
