// Owns what an agent remembers of a run: what was said in it after its task, as messages of the family. Pure.
import type { Message } from '../../../models/model.ts';
import { contentOf, createMsg, type Msg, type MsgOptions } from '../base/msg.ts';

/**
 * The messages of a run that came after its goal. A message of the model that was printed keeps the id it was printed
 * under. Of a transcript without the goal, which a run that never began has, there are none.
 */
export function remembered(
  transcript: readonly Message[],
  run: {
    readonly goal: string;
    readonly printed: readonly Msg[];
    readonly speaker: Pick<MsgOptions, 'name' | 'clock'>;
  },
): readonly Msg[] {
  const at = transcript.findLastIndex((message) => isGoal(message, run.goal));
  if (at < 0) return [];
  const printed = [...run.printed];
  return transcript.slice(at + 1).map(({ role, content: blocks }) => {
    const content = contentOf(blocks);
    if (role === 'user') {
      return createMsg({ ...run.speaker, name: 'system', role: 'system', content });
    }
    const id = printed.shift()?.id;
    const named = id === undefined ? run.speaker : { ...run.speaker, id };
    return createMsg({ ...named, role: 'assistant', content });
  });
}

function isGoal({ role, content }: Message, goal: string): boolean {
  const [block] = content;
  return role === 'user' && content.length === 1 && block?.type === 'text' && block.text === goal;
}
