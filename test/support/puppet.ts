// An actor that does what its messages say: what random programs of the property tests are made of.
import type { Address } from '#src/actor/address.js';
import { type Behavior, behavior, next, type Self, stop } from '#src/actor/behavior.js';
import { gate, untilAborted } from './kernel.ts';

export type Order =
  | { readonly do: 'note'; readonly number: number }
  | { readonly do: 'pass'; readonly to: Address; readonly number: number }
  | { readonly do: 'ask'; readonly to: Address; readonly timeoutMs: number }
  | { readonly do: 'reply' | 'stash' | 'unstash' | 'crash' | 'wait' | 'hang' | 'end' | 'nap' };

/** What a puppet received: the number, from whom, in which order. */
export type Received = { readonly at: string; readonly from: string; readonly number: number };

/** A puppet, which adds each message to `received`. */
export function puppet(received: Received[]): Behavior<null, Order> {
  return behavior<null, Order>({
    start: () => null,
    async receive(state, order, self) {
      if (order.do === 'end') return stop();
      await obey(order, self, received);
      return next(state);
    },
    stopped: () => Promise.resolve(),
  });
}

async function obey(order: Order, self: Self, received: Received[]): Promise<void> {
  switch (order.do) {
    case 'note':
      received.push({ at: self.address.id, from: self.sender?.id ?? 'host', number: order.number });
      break;
    case 'pass':
      self.tell(order.to, { do: 'note', number: order.number });
      break;
    case 'ask':
      await self.ask(order.to, { do: 'reply' }, { timeoutMs: order.timeoutMs }).catch(() => null);
      break;
    case 'reply':
      self.reply('here');
      break;
    case 'stash':
      // A second delivery finds the puppet in another mood, or it would never be done with it.
      if (self.incarnation === 1) self.stash();
      break;
    case 'unstash':
      self.unstashAll();
      break;
    case 'crash':
      throw new Error('as ordered');
    case 'wait':
      await untilAborted(self.signal);
      break;
    case 'hang':
      await gate().passed;
      break;
    case 'nap':
      await Promise.resolve();
      break;
    default:
      // `terminated` notices come here too.
      break;
  }
}
