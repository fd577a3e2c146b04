// Owns messages to runs from outside: queued until the run's thread confirms them, or its task is over (M2).
// Leaves out pauses (task-pause.ts) and what the thread does with the messages (agent/run/take-turn.ts).
import { z } from 'zod';
import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { Steer } from '../protocol/run-controls.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { TaskRecord } from './state.ts';
import type { SteerReceipt, SteerStatus } from './steer-receipt.ts';

/** A message for a run, and its source. */
export type Delivery = Steer & { readonly source: 'steer' | 'background' };

type OpenDelivery = Delivery & {
  /** The current activation has it; after parking, the next one receives it again. */
  isSent: boolean;
  readonly settle: (end: 'taken' | 'undelivered') => void;
};

export type SteeringQueueOptions = {
  readonly events: EventBus;
  readonly runtime: Pick<AgentRuntime, 'control'>;
};

/** Steers that wait for one run (M2). */
const maxSteers = 64;

const textSchema = z.string().refine((text) => text.trim() !== '', 'expected a text, not blank');

export class SteeringQueue {
  readonly #options: SteeringQueueOptions;
  readonly #open = new Map<TaskRecord, OpenDelivery[]>();
  #lastSteer = 0;

  constructor(options: SteeringQueueOptions) {
    this.#options = options;
  }

  /**
   * Steers a task's run. Resolves when its state is known, at once with `queued` while the run makes no model
   * calls. Rejects `invalid_options` for what is no text, `mailbox_full` when 64 wait (M2).
   */
  async steer(task: TaskRecord, text: string): Promise<SteerReceipt> {
    checkSteer(text);
    const waiting = this.#open.get(task) ?? [];
    if (waiting.filter(({ source }) => source === 'steer').length >= maxSteers) {
      const why = `${maxSteers} steers wait for task ${task.id} already`;
      throw new TroupeError('mailbox_full', why, { retryable: true });
    }
    const id = this.#nextId();
    const isQueued = isWaiting(task);
    const taken = this.deliver(task, { id, text, source: 'steer' });
    if (isQueued) {
      this.#tell(task, { steerId: id, status: 'queued' });
      return { id, status: 'queued' };
    }
    return { id, status: (await taken) === 'taken' ? 'delivered' : 'undelivered' };
  }

  /**
   * Sends a run a later result of one of its tools; false when it cannot be delivered, as the run is over or 64 wait.
   * Throws `invalid_options` for a blank text.
   */
  notify(task: TaskRecord, text: string): boolean {
    checkSteer(text);
    const waiting = this.#open.get(task) ?? [];
    const isFull = waiting.filter(({ source }) => source === 'background').length >= maxSteers;
    if (isFull || task.isEnded) return false;
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
  deliver(task: TaskRecord, delivery: Delivery): Promise<'taken' | 'undelivered'> {
    if (task.isEnded) {
      this.#tell(task, { steerId: delivery.id, status: 'undelivered' });
      return Promise.resolve('undelivered');
    }
    return new Promise((settle) => {
      const open: OpenDelivery = { ...delivery, isSent: false, settle };
      const waiting = this.#open.get(task);
      if (waiting === undefined) this.#open.set(task, [open]);
      else waiting.push(open);
      this.#send(task, open);
    });
  }

  /** Retracts a message that the run has not taken, as when it is out of date; emits no event. */
  retract(task: TaskRecord, id: string): void {
    const waiting = this.#open.get(task) ?? [];
    const at = waiting.findIndex((each) => each.id === id);
    const [retracted] = at < 0 ? [] : waiting.splice(at, 1);
    if (retracted === undefined) return;
    if (retracted.isSent && task.run !== null) {
      const { cell } = task.run;
      this.#options.runtime.control(cell, { type: 'retract', runId: task.id, id });
    }
    retracted.settle('undelivered');
  }

  /** Returns the messages that the run's current activation does not have, and marks them as sent. */
  handOver(task: TaskRecord): { readonly steers?: readonly Steer[] } {
    const unsent = this.#open.get(task)?.filter(({ isSent }) => !isSent) ?? [];
    if (unsent.length === 0) return {};
    for (const each of unsent) each.isSent = true;
    return { steers: unsent.map(({ id, text }) => ({ id, text })) };
  }

  /** The activation that had them is over, the run is not (V7): they are sent again. */
  parked(task: TaskRecord): void {
    for (const each of this.#open.get(task) ?? []) each.isSent = false;
  }

  onRunEvent(task: TaskRecord, event: RunEvent): void {
    if (event.type !== 'steered') return;
    const waiting = this.#open.get(task) ?? [];
    const at = waiting.findIndex(({ id }) => id === event.id);
    const [taken] = at < 0 ? [] : waiting.splice(at, 1);
    if (taken === undefined) return;
    this.#tell(task, { steerId: taken.id, status: 'delivered', turn: event.turn });
    taken.settle('taken');
  }

  /** The task is over: what its run did not take is undelivered. */
  ended(task: TaskRecord): void {
    const waiting = this.#open.get(task);
    if (waiting === undefined) return;
    this.#open.delete(task);
    for (const { id, settle } of waiting) {
      this.#tell(task, { steerId: id, status: 'undelivered' });
      settle('undelivered');
    }
  }

  #send(task: TaskRecord, open: OpenDelivery): void {
    // A parked run has no thread; its next activation receives what came meanwhile.
    if (task.run === null) return;
    const { cell } = task.run;
    if (cell.state.status === 'parked') return;
    open.isSent = true;
    const { id, text } = open;
    this.#options.runtime.control(cell, { type: 'steer', runId: task.id, steer: { id, text } });
  }

  #tell(task: TaskRecord, payload: { steerId: string; status: SteerStatus; turn?: number }): void {
    const { run, id: taskId, depth } = task;
    const subject = run?.subject ?? { taskId, depth };
    this.#options.events.emit('steering_updated', subject, payload);
  }

  #nextId(): string {
    this.#lastSteer += 1;
    return `s${this.#lastSteer}`;
  }
}

function checkSteer(text: string): void {
  parseOptions(textSchema, text, 'steer');
}

/** True for a run that makes no model calls for now: it has not begun, is paused, or has no thread. */
function isWaiting({ run, isEnded, isPaused }: TaskRecord): boolean {
  if (isEnded) return false;
  if (run === null || isPaused) return true;
  return run.agent.isParked || run.record.phase === 'starting';
}
