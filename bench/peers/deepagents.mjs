// A one-turn agent on deepagents with an in-process model and its default middleware; measures nothing.
import { createDeepAgent } from 'deepagents';
import { createAddTool, InstantChatModel } from './instant-chat-model.mjs';

/** Builds the agent once; `run` gives it one task and returns its answer. */
export function createAgent({ withTool, onTool }) {
  const agent = createDeepAgent({
    model: new InstantChatModel(withTool),
    tools: withTool ? [createAddTool(onTool)] : [],
    systemPrompt: 'Answer the task.',
  });
  return {
    async run(goal) {
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: goal }] });
      return messages.at(-1)?.content;
    },
  };
}
