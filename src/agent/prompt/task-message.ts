// Owns the user message a run begins with: its goal, the context and the blocks its caller gave, the
// time where it is asked for.
import type { ImageBlock, Message, TextBlock } from '../../protocol/history.ts';

export type TaskText = {
  readonly goal: string;
  readonly context?: string | undefined;
  readonly content?: readonly (TextBlock | ImageBlock)[] | undefined;
  /** A block as `timeBlock` makes it. */
  readonly time?: string | undefined;
};

export function taskMessage({ goal, context, content = [], time }: TaskText): Message {
  const blocks = [goal];
  if (context !== undefined && context !== '') blocks.push(`# Context\n\n${context}`);
  if (time !== undefined) blocks.push(time);
  return { role: 'user', content: [{ type: 'text', text: blocks.join('\n\n') }, ...content] };
}
