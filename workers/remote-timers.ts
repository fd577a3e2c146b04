// Owns the supervisor's clock as a thread reaches it: timers by message. It has no monotonic time.
import { type CancelTimer, type Clock, systemClock } from '../src/base/clock.ts';
import type { FromGatewayThread } from '../src/protocol/gateway-thread-messages.ts';

type TimerMessage = Extract<FromGatewayThread, { readonly timer: number }>;

export class RemoteClock implements Pick<Clock, 'after' | 'wallTime'> {
  readonly #post: (message: TimerMessage) => void;
  readonly #fires = new Map<number, () => void>();
  #last = 0;

  constructor(post: (message: TimerMessage) => void) {
    this.#post = post;
  }

  /** Only for comparison with times that others set, which follow no manual clock. */
  wallTime(): number {
    return systemClock.wallTime();
  }

  after(delayMs: number, fire: () => void): CancelTimer {
    this.#last += 1;
    const timer = this.#last;
    this.#fires.set(timer, fire);
    this.#post({ type: 'set_timer', timer, delayMs });
    return () => {
      if (this.#fires.delete(timer)) this.#post({ type: 'cancel_timer', timer });
    };
  }

  wake(timer: number): void {
    const fire = this.#fires.get(timer);
    this.#fires.delete(timer);
    fire?.();
  }
}
