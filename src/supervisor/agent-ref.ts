// Owns the program's reference to a persistent agent: ask with a deadline, tell, steer, signals. Decides nothing.
import { z } from 'zod';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { contentSchema } from '../agent/content-schema.ts';
import type { Clock } from '../base/clock.ts';
import { copyData } from '../base/copy-data.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { Outcome, Usage } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import { signalSchema } from '../base/signal-schema.ts';
import { whyAborted } from '../base/when-aborted.ts';
import { withAbort } from '../base/with-abort.ts';
import type { ImageBlock, Message, TextBlock } from '../protocol/history.ts';
import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import { isPassive } from '../tasks/decide/begin.ts';
import { agentUsage, type PersistentAgents } from '../tasks/persistent-agents.ts';
import type { Agent } from '../tasks/state.ts';
import { steerAgent } from '../tasks/steer-by-id.ts';
import type { Steering } from '../tasks/steering.ts';
import { statusOf } from '../tasks/waits.ts';

/** How an agent is spawned. */
export type SpawnAgentOptions = {
  /** What it is called in paths and events, unique among living agents. Default: the definition's name. */
  readonly name?: string;
  /**
   * It outlives a crash and a kill of its run: that run ends so, and the next one goes on from what the agent remembers.
   * Only `stop`, `kill` and `interrupt` with scope `agent` end it. Default false: it ends with its thread.
   */
  readonly survivesCrash?: boolean;
  /**
   * It begins without a thread and without a slot, so no limit on live agents meets it and it waits in no line; what it runs
   * on, its tools included, is made when it is first asked. Default false: it has a thread when it can be asked.
   */
  readonly lazy?: boolean;
};

/** How long a run is awaited, and what goes with it. */
export type AgentAskOptions = {
  /** Milliseconds the answer is awaited, the wait for earlier runs included. */
  readonly timeoutMs: number;
  /** What the agent has to know beside the question. */
  readonly context?: string;
  /** Images, and texts between them, that follow the question. Default: none. */
  readonly content?: readonly (TextBlock | ImageBlock)[];
  /** Comes back with the outcome. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** As a task's: asked again under the same key, after a restart too, the run is the one that was asked for first. */
  readonly idempotencyKey?: string;
  /** Aborting it interrupts the run, scope `run`. */
  readonly signal?: AbortSignal;
};

/** What goes with a run that is not awaited. */
export type AgentTellOptions = Pick<
  AgentAskOptions,
  'context' | 'content' | 'metadata' | 'idempotencyKey'
>;

/** `passivated`: idle, and without a thread. */
export type AgentStatus = 'idle' | 'passivated' | 'ready' | 'running' | 'waiting' | 'ended';

const tellShape = {
  context: z.string().optional(),
  content: contentSchema.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  // Judged with the task.
  idempotencyKey: z.unknown().optional(),
};
const tellSchema = z.strictObject(tellShape);
const askSchema = z.strictObject({
  ...tellShape,
  // Judged by itself: that it is missing has a code of its own.
  timeoutMs: z.unknown().optional(),
  signal: signalSchema.optional(),
});
const interruptSchema = z.strictObject({
  scope: z.enum(['run', 'agent', 'subtree']).optional(),
  reason: z.string().optional(),
});

/** Checks how something is to be interrupted. Throws `invalid_options`. */
export function checkInterrupt(options: InterruptOptions): void {
  parseOptions(interruptSchema, options, 'interrupt');
}

type AgentRefParts = {
  readonly clock: Clock;
  readonly scheduler: { readonly persistent: PersistentAgents; readonly steering: Steering };
};

/**
 * A persistent agent: it keeps its conversation from run to run and takes one run at a time, in the order they were asked.
 * An idle agent may use no thread; its next run activates it. After its end it refuses runs; `history` works.
 */
export class AgentRef<Answer = unknown> {
  readonly #agent: Agent;
  readonly #scheduler: PersistentAgents;
  readonly #clock: Clock;
  readonly #steering: Steering;

  constructor(agent: Agent, { scheduler, clock }: AgentRefParts) {
    this.#agent = agent;
    this.#scheduler = scheduler.persistent;
    this.#clock = clock;
    this.#steering = scheduler.steering;
  }

  /** Unique in its supervisor; stays the same when the agent loses its thread. */
  get id(): string {
    return this.#agent.id;
  }

  /** What it is called in paths and events. */
  get name(): string {
    return this.#agent.name ?? this.#agent.id;
  }

  /** Its place in the tree, such as `/lead`. */
  get path(): string {
    return this.#agent.path;
  }

  /** What it does now. */
  get status(): AgentStatus {
    const { status, run } = this.#agent;
    if (status === 'ended') return 'ended';
    if (run === null) return isPassive(this.#agent) ? 'passivated' : 'idle';
    return statusOf(run);
  }

  /** Tokens, calls and cost of all its runs so far, and of what they delegated. */
  get usage(): Usage {
    return { ...agentUsage(this.#agent) };
  }

  /**
   * Asks for one run and resolves with its outcome, whatever became of it. Rejects `ask_timeout` when the time is over,
   * interrupting the run or withdrawing it from the agent's queue; `actor_terminated` when the agent has ended,
   * `mailbox_full` when 1,024 runs wait, `ask_without_deadline`, `invalid_task`, `invalid_options`.
   */
  async ask(question: string, options: AgentAskOptions): Promise<Outcome<Answer>> {
    // One that is misspelt explains the one that is missing.
    parseOptions(askSchema, options ?? {}, 'ask');
    const timeoutMs: unknown = options?.timeoutMs;
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0) || timeoutMs === Infinity) {
      const seen = describe(timeoutMs);
      throw new TroupeError(
        'ask_without_deadline',
        `ask needs a timeoutMs above 0, such as { timeoutMs: 60_000 }; it got ${seen}`,
      );
    }
    const { signal, timeoutMs: _timeoutMs, ...settings } = options;
    const entry = this.#scheduler.ask(this.#agent, { goal: question, ...settings });
    const onAbort = (aborted: AbortSignal): void =>
      this.#scheduler.cancel(entry, whyAborted(aborted));
    const limits = { clock: this.#clock, timeoutMs };
    const isAnswered = await withAbort(signal, onAbort, () => resolvedWithin(entry.result, limits));
    if (!isAnswered) {
      const why = `${this.path} did not answer within ${timeoutMs} ms`;
      this.#scheduler.cancel(entry, why);
      throw new TroupeError('ask_timeout', why, { retryable: true });
    }
    // Its answers are those that its schema let through.
    return copyData(await entry.result) as Outcome<Answer>;
  }

  /** Asks for one run and awaits nothing; events report its outcome. A refused run becomes a dead letter. */
  tell(message: string, options: AgentTellOptions = {}): void {
    parseOptions(tellSchema, options, 'tell');
    this.#scheduler.tell(this.#agent, { goal: message, ...options });
  }

  /**
   * Adds a message to the current run, or else to the first queued run, as `TaskHandle.steer` does. With neither, the
   * status is `undelivered`: use `ask` or `tell` to start a new run.
   */
  async steer(text: string): Promise<SteerReceipt> {
    return steerAgent(this.#steering, this.#agent, text);
  }

  /**
   * A copy of the agent's conversation so far, the current run included. With a journal that of an agent without a thread is
   * read from the file: throws `journal_failed` and `recovery_failed` where it cannot be, `closed` after `close()`.
   */
  history(): readonly Message[] {
    return copyData(this.#scheduler.historyOf(this.#agent));
  }

  /** Ends the run that is on, not those that wait; scope `agent` ends the agent too. Resolves as `Supervisor.interrupt` does. */
  async interrupt(options: InterruptOptions = {}): Promise<readonly InterruptReceipt[]> {
    checkInterrupt(options);
    return this.#scheduler.interrupt(this.#agent, options);
  }

  /** Ends the agent in good order: the run is interrupted, those that wait end `interrupted`. */
  stop(): Promise<readonly InterruptReceipt[]> {
    return this.#scheduler.stop(this.#agent);
  }

  /** Ends the agent's thread at once. */
  kill(): Promise<readonly InterruptReceipt[]> {
    return this.#scheduler.kill(this.#agent);
  }
}
