// Owns how far a thread may be ahead of its host: what each message counts, and how much may lie unread.
import type { FromThread } from './worker-messages.ts';

/** A thread that is ahead by this much waits before it sends more. The host takes a few milliseconds for it. */
export const maxAhead = 512;

/** A call of a service is dearer to its host than anything else. */
const costOfCall = 8;

/** What a message counts. The first one of a thread is sent before it counts, and is free. */
export function costOf(message: FromThread): number {
  switch (message.type) {
    case 'online':
      return 0;
    case 'batch':
      return message.items.length;
    case 'link':
      return costOfCall;
    default:
      return 1;
  }
}
