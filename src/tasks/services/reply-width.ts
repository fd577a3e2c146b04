// Owns how many children the calls of one model reply have had: the count that `maxConcurrentChildren` limits (V7).
// Judges no limit.
import type { Outcome } from '../../base/outcome.ts';

/** Tasks of one call. Of those that it hands over one after the other, as many count as were there at once. */
type Call = { open: number; max: number };

/** The calls of the last reply that delegated. */
export type ReplyWidth = { readonly turn: number; readonly calls: Map<unknown, Call> };

/** The run that delegates. */
type Parent = { replyWidth: ReplyWidth | null; readonly record: { readonly turns: number } };

/**
 * Hands tasks of one call over, judged with all that the reply has asked for before. Without `call` each is one of its own,
 * as a task that outlives its call is.
 */
export function letIn<Entries extends readonly { readonly outcome: Outcome | null }[]>(
  parent: Parent,
  tasks: number,
  submit: (ofReply: number) => Entries,
  call: unknown = {},
): { readonly entries: Entries; readonly ended: () => void } {
  const turn = parent.record.turns;
  if (parent.replyWidth?.turn !== turn) parent.replyWidth = { turn, calls: new Map() };
  const { calls } = parent.replyWidth;
  const own = calls.get(call) ?? { open: 0, max: 0 };
  let ofReply = Math.max(own.open + tasks, own.max);
  for (const each of calls.values()) if (each !== own) ofReply += each.max;
  const entries = submit(ofReply);
  calls.set(call, own);
  const accepted = entries.filter(({ outcome }) => outcome?.exitReason !== 'rejected').length;
  own.open += accepted;
  own.max = Math.max(own.max, own.open);
  const ended = (): void => {
    own.open -= accepted;
  };
  return { entries, ended };
}
