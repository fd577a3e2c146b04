// Owns how the tasks of one call are handed over, with what its model's reply has asked for before. Judges no limit.
import type { Run, TaskRecord } from '../state.ts';
import { ReplyWidth } from './reply-width.ts';

/**
 * Hands tasks of one call over, judged with all that the reply has asked for before. Without `call` each is one of its own,
 * as a task that outlives its call is.
 */
export function letIn<Entries extends readonly TaskRecord[]>(
  parent: Run,
  tasks: number,
  submit: (ofReply: number) => Entries,
  call: unknown = {},
): { readonly entries: Entries; readonly ended: () => void } {
  parent.replyWidth ??= new ReplyWidth();
  const { replyWidth, record } = parent;
  const entries = submit(replyWidth.with(record.turns, call, tasks));
  const accepted = entries.filter((entry) => !isRejected(entry)).length;
  return { entries, ended: replyWidth.add(record.turns, call, accepted) };
}

function isRejected({ outcome }: TaskRecord): boolean {
  return outcome?.exitReason === 'rejected';
}
