// Owns the wait of a run in its thread for what it has committed: no model is asked and no tool begins before that is durable.
import { whenAborted } from '../base/when-aborted.ts';
import { mustBeDurable, type RunEvent } from '../protocol/run-events.ts';
import type { RunState } from './run/run-state.ts';

export class CommitGate {
  #published: number;
  #durable: number;
  #waiting: (() => void)[] = [];

  /** Of the run before: what its threads have committed, and how much of that is durable. */
  constructor(published: number, durable: number) {
    this.#published = published;
    this.#durable = durable;
  }

  /** The event as it is sent: with the result of a call whose turn goes on. */
  publish(event: RunEvent, state: RunState): RunEvent {
    if (mustBeDurable(event)) this.#published += 1;
    return event.type === 'tool_completed' ? withResult(event, state) : event;
  }

  /** So many commits are durable. */
  reached(commits: number): void {
    this.#durable = Math.max(this.#durable, commits);
    if (!this.isOpen) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when all that was published is durable, and when the signal aborts. */
  async passed(signal: AbortSignal): Promise<void> {
    if (this.isOpen || signal.aborted) return;
    let unlink = (): void => {};
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      unlink = whenAborted(signal, resolve);
    });
    unlink();
  }

  /** All that was published is durable. */
  get isOpen(): boolean {
    return this.#durable >= this.#published;
  }
}

/** The results of a turn follow its last call. */
function withResult(
  event: Extract<RunEvent, { type: 'tool_completed' }>,
  { step }: RunState,
): RunEvent {
  if (step.type !== 'in_tools') return event;
  const block = step.calls.find(({ call }) => call.id === event.callId)?.block ?? null;
  return block === null ? event : { ...event, result: block };
}
