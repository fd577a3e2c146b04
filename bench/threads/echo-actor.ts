// An actor that answers every ask with the message itself; what `ping-pong` and `spawn` run on a thread.
import { behavior, next } from '#src/behavior.js';

export type Ping = { readonly type: 'ping'; readonly round: number };

export default behavior<null, Ping>({
  start: () => null,
  receive(state, message, self) {
    self.reply(message);
    return next(state);
  },
});
