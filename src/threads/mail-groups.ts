// Owns how a batch of mail is laid out for the wire: runs of one sender together, its address once (decision 3).
import type { Address } from '../actor/address.ts';
import type { Envelope } from '../actor/envelope.ts';
import type { MailGroup } from './wire.ts';

/** Runs of one sender become one group: its address and the layout go once. */
export function groupMail(batch: readonly Envelope[]): readonly MailGroup[] {
  const groups: MailGroup[] = [];
  let from: Address | null = null;
  let senderId: string | undefined;
  let seqs: number[] = [];
  let messages: unknown[] = [];
  let askIds: number[] = [];
  const close = (): void => {
    if (messages.length === 0) return;
    const base = { from, seqs, messages };
    groups.push(askIds.some((askId) => askId !== 0) ? { ...base, askIds } : base);
    seqs = [];
    messages = [];
    askIds = [];
  };
  for (const envelope of batch) {
    if (envelope.from?.id !== senderId) {
      close();
      from = envelope.from;
      senderId = from?.id;
    }
    seqs.push(envelope.seq);
    messages.push(envelope.message);
    askIds.push(envelope.askId);
  }
  close();
  return groups;
}
