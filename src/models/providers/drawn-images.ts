// Owns where the images of answers go for APIs whose answers are texts and calls: into the user message that follows. Pure.
import type { ImageBlock, Message, TextBlock } from '../../protocol/history.ts';
import { imagesOf } from '../../protocol/image.ts';

const replacement: TextBlock = { type: 'text', text: '[image, see below]' };

/** The same conversation without images in answers; one without any is itself. */
export function withDrawnImagesMoved(messages: readonly Message[]): readonly Message[] {
  const isDrawn = ({ role, content }: Message): boolean =>
    role === 'assistant' && imagesOf(content).length > 0;
  if (!messages.some(isDrawn)) return messages;
  let drawn: readonly ImageBlock[] = [];
  return messages.map((message): Message => {
    if (message.role === 'assistant') {
      drawn = [...drawn, ...imagesOf(message.content)];
      const content = message.content.map((block) =>
        block.type === 'image' ? replacement : block,
      );
      return { ...message, content };
    }
    const moved = drawn;
    drawn = [];
    return moved.length === 0
      ? message
      : { ...message, content: afterResults(message.content, moved) };
  });
}

type UserContent = Extract<Message, { readonly role: 'user' }>['content'];

/** Results follow their calls at once, and what belongs to one request alone comes last. */
function afterResults(content: UserContent, images: readonly ImageBlock[]): UserContent {
  const at = content.findLastIndex(({ type }) => type === 'tool_result') + 1;
  return [...content.slice(0, at), ...images, ...content.slice(at)];
}
