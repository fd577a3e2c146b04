// Owns by which names the calls of a response are known: those that model APIs take, whatever the model wrote. Pure.
import type { ModelResponse } from '../protocol/model-messages.ts';

const foreignLetter = /[^a-zA-Z0-9_-]/g;

/**
 * The response with every call named in the letters of tool names: `self.emitvalue` calls `self_emitvalue` (B17). With a name
 * that no provider takes, the whole history would be refused at the next request.
 */
export function inToolLetters(response: ModelResponse): ModelResponse {
  const { content } = response;
  if (content.every((block) => block.type !== 'tool_use' || lettersOf(block.name) === block.name)) {
    return response;
  }
  const named = content.map((block) =>
    block.type === 'tool_use' ? { ...block, name: lettersOf(block.name) } : block,
  );
  return { ...response, content: named };
}

function lettersOf(name: string): string {
  return name.replace(foreignLetter, '_');
}
