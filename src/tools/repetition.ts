// Owns the count of calls of one tool in a row, and the notice to the model about it (A81). Pure.
import type { ToolResult, ToolResultBlock } from '../protocol/history.ts';
import type { Streak } from '../protocol/saved-run.ts';

export const noStreak: Streak = { name: null, length: 0 };

const noticedAt = 3;

/** Counts calls in their order; `repeated` contains the places of those that are the third of their tool in a row. */
export function countCalls(
  streak: Streak,
  names: readonly string[],
): { readonly streak: Streak; readonly repeated: ReadonlySet<number> } {
  const repeated = new Set<number>();
  let { name: last, length } = streak;
  for (const [at, name] of names.entries()) {
    length = name === last ? length + 1 : 1;
    last = name;
    if (length === noticedAt) repeated.add(at);
  }
  return { streak: { name: last, length }, repeated };
}

/** The content of a result with the notice at its end. */
function withNotice(name: string, content: ToolResult['content']): ToolResult['content'] {
  const notice =
    `[SYSTEM NOTICE] Tool "${name}" was called ${noticedAt} times in a row. ` +
    'If it does not bring you closer to the goal, change your approach: try another tool, other arguments, or answer with what you have.';
  if (typeof content === 'string') return `${content}\n\n${notice}`;
  return [...content, { type: 'text', text: notice }];
}

/** A result of a call of this tool, with the notice. */
export function noticed(name: string, result: ToolResultBlock): ToolResultBlock {
  return { ...result, content: withNotice(name, result.content) };
}
