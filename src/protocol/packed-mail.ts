// Owns how a batch of mail is laid out for the wire: flat, the address of a run of one sender once (decision 3).

import type { Handed } from '../actor/activation-host.ts';
import type { Address } from '../actor/address.ts';
import type { Envelope } from '../actor/envelope.ts';
import { type Clock, inProcessTime } from '../base/clock.ts';

/** A message as it lies in a thread. An expired one is not started: its deadline is in the time of the process (M8). */
export type HandedOver = Handed & { readonly deadline: number };

/**
 * For each run of one sender: its address or null, how many messages, then each message and its ask id, 0 for a tell; an
 * ask's deadline comes behind it.
 * Cloning costs by the object and by the key, and a batch of one is the commonest: an object each would double it.
 */
export type PackedMail = readonly unknown[];

export function packMail(batch: readonly Envelope[], clock: Clock): PackedMail {
  const packed: unknown[] = [];
  let countAt = 0;
  let count = 0;
  let sender: Address | null | undefined;
  for (const { from, message, askId, deadline } of batch) {
    if (count === 0 || from?.id !== sender?.id) {
      count = 0;
      sender = from;
      countAt = packed.length + 1;
      packed.push(from, 0);
    }
    count += 1;
    packed[countAt] = count;
    packed.push(message, askId);
    if (askId !== 0) packed.push(inProcessTime(clock, deadline));
  }
  return packed;
}

/** Hands each message on, in order. Its reader is a thread, which trusts what the host packed. */
export function unpackMail(packed: PackedMail, take: (handed: HandedOver) => void): void {
  let at = 0;
  while (at < packed.length) {
    const from = packed[at] as Address | null;
    let left = packed[at + 1] as number;
    at += 2;
    for (; left > 0; left -= 1) {
      const message = packed[at];
      const askId = packed[at + 1] as number;
      const deadline = askId === 0 ? Number.POSITIVE_INFINITY : (packed[at + 2] as number);
      take({ from, message, askId, deadline });
      at += askId === 0 ? 2 : 3;
    }
  }
}
