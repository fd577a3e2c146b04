// An actor that adds up the amounts it is sent and answers `total`; what `counting` runs on a thread.
import { behavior, next } from '#src/behavior.js';
import type { CounterMessage } from './bare-counter.ts';

export default behavior<number, CounterMessage>({
  start: () => 0,
  receive(total, message, self) {
    if (message.type === 'add') return next(total + message.amount);
    self.reply(total);
    return next(0);
  },
});
