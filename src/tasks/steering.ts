// Owns messages to runs from outside as their senders see them (M2). What becomes of each is decided in decide/steer.ts.
import { z } from 'zod';
import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import type { Delivery } from './delivery.ts';
import type { SchedulerMessage } from './messages.ts';
import type { TaskRecord } from './state.ts';

export type SteeringOptions = {
  readonly events: EventBus;
  readonly dispatch: (message: SchedulerMessage) => void;
};

/** Steers that wait for one run (M2). */
const maxSteers = 64;

const textSchema = z.string().refine((text) => text.trim() !== '', 'expected a text, not blank');

export class Steering {
  readonly #options: SteeringOptions;
  #lastSteer = 0;

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  /**
   * Steers a task's run. Resolves when its state is known, at once with `queued` while the run makes no model
   * calls. Rejects `invalid_options` for what is no text, `mailbox_full` when 64 wait (M2).
   */
  async steer(task: TaskRecord, text: string): Promise<SteerReceipt> {
    const isQueued = isWaiting(task);
    const { id, taken } = this.#send(task, text);
    if (isQueued) return this.#queued(task, id);
    return { id, status: (await taken) === 'taken' ? 'delivered' : 'undelivered' };
  }

  /** The same for a sender that waits for nothing: `queued`, and events report what becomes of it. Throws as `steer` rejects. */
  post(task: TaskRecord, text: string): SteerReceipt {
    const { id } = this.#send(task, text);
    return this.#queued(task, id);
  }

  #send(task: TaskRecord, text: string) {
    checkSteer(text);
    if (countOf(task, 'steer') >= maxSteers) {
      const why = `${maxSteers} steers wait for task ${task.id} already`;
      throw new TroupeError('mailbox_full', why, { retryable: true });
    }
    const id = this.#nextId();
    return { id, taken: this.deliver(task, { id, text, source: 'steer' }) };
  }

  #queued({ run, id: taskId, depth }: TaskRecord, id: string): SteerReceipt {
    const subject = run?.subject ?? { taskId, depth };
    this.#options.events.emit('steering_updated', subject, { steerId: id, status: 'queued' });
    return { id, status: 'queued' };
  }

  /**
   * Sends a run a later result of one of its tools; false when it cannot be delivered, as the run is over or 64 wait.
   * Throws `invalid_options` for a blank text.
   */
  notify(task: TaskRecord, text: string): boolean {
    checkSteer(text);
    if (task.isEnded || countOf(task, 'background') >= maxSteers) return false;
    void this.deliver(task, { id: this.#nextId(), text, source: 'background' });
    return true;
  }

  /** Reports a steer of a forgotten run as undelivered. Throws `invalid_options` for a blank text. */
  miss(text: string, subject: EventSubject): SteerReceipt {
    checkSteer(text);
    const id = this.#nextId();
    this.#options.events.emit('steering_updated', subject, { steerId: id, status: 'undelivered' });
    return { id, status: 'undelivered' };
  }

  /** Adds a message to a run's conversation, once; resolves `undelivered` when the run ends first. Never rejects. */
  deliver(task: TaskRecord, message: Omit<Delivery, 'settle'>): Promise<'taken' | 'undelivered'> {
    return new Promise((settle) => {
      this.#options.dispatch({ type: 'steer', task, delivery: { ...message, settle } });
    });
  }

  /** Takes a message back that the run has not taken, as when it is out of date; emits no event. */
  retract(task: TaskRecord, id: string): void {
    this.#options.dispatch({ type: 'retract', task, id });
  }

  #nextId(): string {
    this.#lastSteer += 1;
    return `s${this.#lastSteer}`;
  }
}

function countOf({ steers }: TaskRecord, source: Delivery['source']): number {
  return steers?.filter((each) => each.source === source).length ?? 0;
}

function checkSteer(text: string): void {
  parseOptions(textSchema, text, 'steer');
}

/** True for a run that makes no model calls for now: it has not begun, is paused, or has no thread. */
function isWaiting({ run, isEnded, isPaused }: TaskRecord): boolean {
  if (isEnded) return false;
  if (run === null || isPaused) return true;
  const { phase } = run.record;
  return (run.agent.isParked && phase !== 'waiting_for_model') || phase === 'starting';
}
