// A counter, as the thread that runs it has it: it counts, and keeps what it counted with its supervisor.
import { behavior, next, stop } from 'troupe/behavior';

export default behavior({
  /** Called for each activation: the first begins at nothing, one after a crash with what was kept. */
  start: (_args, self) => self.snapshot ?? 0,

  receive(total, message, self) {
    switch (message.type) {
      case 'add': {
        self.commit(total + message.count);
        return next(total + message.count);
      }
      case 'report': {
        self.reply({ total, activation: self.incarnation });
        return next(total);
      }
      case 'trip':
        throw new Error('the counter fell over');
      case 'finish':
        return stop();
      default:
        self.refuse(new Error(`a counter knows nothing of "${message.type}"`));
        return next(total);
    }
  },
});
