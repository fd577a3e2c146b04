// Owns what an agent remembers of a run: the messages that follow its task, as messages of the family. Pure.
import type { Message } from '../../../protocol/history.ts';
import { contentOf, createMsg, type Msg, type MsgOptions } from '../base/msg.ts';

/**
 * Messages of a run as those of its agent. A message of the model that was printed keeps the id it was printed under.
 */
export function remembered(
  messages: readonly Message[],
  run: {
    readonly printed: readonly Msg[];
    readonly speaker: Pick<MsgOptions, 'name' | 'clock'>;
  },
): readonly Msg[] {
  const printed = [...run.printed];
  return messages.map(({ role, content: blocks }) => {
    const content = contentOf(blocks);
    if (role === 'user') {
      return createMsg({ ...run.speaker, name: 'system', role: 'system', content });
    }
    const id = printed.shift()?.id;
    const named = id === undefined ? run.speaker : { ...run.speaker, id };
    return createMsg({ ...named, role: 'assistant', content });
  });
}

/** Where in a transcript its goal is; -1 in that of a run that never began. */
export function goalIndex(transcript: readonly Message[], goal: string): number {
  return transcript.findLastIndex((message) => isGoal(message, goal));
}

function isGoal({ role, content }: Message, goal: string): boolean {
  const [block] = content;
  return role === 'user' && content.length === 1 && block?.type === 'text' && block.text === goal;
}
