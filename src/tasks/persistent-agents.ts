// Owns what a program does with persistent agents: spawn, ask, tell, interrupt, stop, kill; and what they remember and used.
// Leaves out how their runs begin (activations.ts) and end (completion/).
import type { Cell } from '../actor/cell.ts';
import { reasonOf } from '../actor/interrupt-reason.ts';
import { defaultMailboxLimits } from '../actor/mailbox.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { type AgentDefinition, agentSchema } from '../agent/definition.ts';
import { noPreamble, withoutPreamble } from '../agent/prompt/preamble.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { ProcessRef } from '../base/clock.ts';
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import { addUsage, type Usage } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { Message } from '../protocol/history.ts';
import type { Activations } from './activations.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import { filesOf, runFiles, runUsage, usageOf } from './branch.ts';
import type { Completion } from './completion/completion.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import type { AgentSpec } from './resolve/agent-resolver.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { Slots } from './slots.ts';
import { Agent, type TaskRecord } from './state.ts';
import { checkTask, type Task } from './task.ts';
import type { TaskRegistry } from './task-registry.ts';

export type PersistentAgentsOptions = {
  readonly registry: TaskRegistry;
  readonly queue: SlotQueue;
  readonly slots: Slots;
  readonly activations: Activations;
  readonly completion: Completion;
  readonly runtime: AgentRuntime;
  readonly idlePassivation: IdlePassivation;
  readonly processRef: ProcessRef;
  /** What an agent is made of. Rejects what is wrong with it. */
  readonly specOf: (agent: string | AgentDefinition) => Promise<AgentSpec>;
  readonly refuseClosed: () => void;
};

type SpawnSettings = {
  readonly name?: string;
  readonly survivesCrash?: boolean;
  readonly lazy?: boolean;
};

/** Runs that may wait for one agent: as many as messages in a mailbox (M5). */
const maxWaiting = defaultMailboxLimits.maxMessages;

export class PersistentAgents {
  readonly #options: PersistentAgentsOptions;

  constructor(options: PersistentAgentsOptions) {
    this.#options = options;
  }

  /** Resolves when the agent can be asked. Rejects what is wrong with it, a limit it meets, and why it did not start. */
  async spawn(definition: string | AgentDefinition, options: SpawnSettings): Promise<Agent> {
    const { slots, processRef, specOf, activations, refuseClosed } = this.#options;
    const { name, survivesCrash = false, lazy = false } = options;
    if (typeof definition !== 'string') {
      parseOptions(agentSchema, definition, 'spawn', 'invalid_agent');
    }
    const spec = await specOf(definition);
    const agent = new Agent({
      spec,
      name: name ?? spec.name,
      lifetime: 'persistent',
      parent: null,
      depth: 0,
      survivesCrash,
    });
    if (lazy) {
      refuseClosed();
      activations.beginPassive(agent);
      return agent;
    }
    const ready = new Promise<void>((resolve, reject) => {
      agent.onReady = (why) => (why === null ? resolve() : reject(TroupeError.from(why)));
    });
    // The caller receives the rejection, unless it has given the call up.
    ready.catch(() => {});
    const verdict = slots.admitRoot();
    if (verdict.type === 'reject') {
      throw new TroupeError(verdict.limit, verdict.message, { retryable: true });
    }
    slots.enter(agent, verdict);
    await processRef.during(ready);
    return agent;
  }

  /** Ends the agents that wait for their first slot: nothing starts any more. */
  close(): void {
    const { queue } = this.#options;
    for (const agent of queue.persistent()) {
      queue.leave(agent);
      // A passivated agent ends with its cell.
      if (agent.status === 'queued') {
        agent.setEnded(failure('closed', 'the supervisor is closed'));
      }
    }
  }

  /** Accepts a run. Throws `actor_terminated`, `mailbox_full` and what is wrong with the task. */
  ask(agent: Agent, value: Task): TaskRecord {
    if (!agent.isTaking) throw new TroupeError('actor_terminated', `${agent.path} has ended`);
    const waiting = agent.queue.size;
    if (waiting >= maxWaiting) {
      const why = `${maxWaiting} runs wait for ${agent.path} already`;
      throw new TroupeError('mailbox_full', why, { retryable: true });
    }
    const { registry, activations, refuseClosed } = this.#options;
    refuseClosed();
    const origin = { parent: null, index: 0, width: 1 };
    const task = registry.enter(checkTask(value, 0), origin, { waiting, agent });
    agent.queue.add(task);
    activations.next(agent);
    return task;
  }

  /** Accepts a run, or makes it a dead letter (M5). Throws what is wrong with the task. */
  tell(agent: Agent, task: Task): void {
    try {
      this.ask(agent, task);
    } catch (error) {
      const { code } = toFailure(error, 'internal');
      const { cell } = agent;
      if (cell === null || (code !== 'actor_terminated' && code !== 'mailbox_full')) throw error;
      const messages = [taskMessage(task)];
      const reason = code === 'mailbox_full' ? 'full' : 'terminated';
      this.#options.runtime.refuse(cell, { type: 'run', runId: '', messages }, reason);
    }
  }

  /** Cancels a run that its caller no longer awaits: it is interrupted, or never begins. */
  cancel(task: TaskRecord, reason: string): void {
    void this.#options.completion.interrupt(task, { reason });
  }

  /** Scope `run` and `subtree` end the run that is on, `agent` ends the agent after it (S5). */
  async interrupt(agent: Agent, options: InterruptOptions): Promise<readonly InterruptReceipt[]> {
    const { runtime, completion } = this.#options;
    const { scope = 'run' } = options;
    const reason = reasonOf(options);
    if (scope === 'agent') {
      return this.#end(agent, failure('interrupted', reason), (cell) =>
        runtime.interrupt(cell, { scope, reason }),
      );
    }
    const { run, cell } = agent;
    const ending =
      run !== null
        ? completion.interrupt(run.task, { scope, reason })
        : cell === null
          ? []
          : runtime.interrupt(cell, { scope, reason });
    // What earlier runs have left.
    const background = completion.interruptBackground(agent.branch, { scope, reason });
    return [...(await ending), ...(await background)];
  }

  stop(agent: Agent): Promise<readonly InterruptReceipt[]> {
    const why = failure('stopped', `${agent.path} was stopped`);
    return this.#end(agent, why, (cell) => this.#options.runtime.stop(cell));
  }

  kill(agent: Agent): Promise<readonly InterruptReceipt[]> {
    const why = failure('killed', `${agent.path} was killed`);
    return this.#end(agent, why, (cell) => this.#options.runtime.kill(cell));
  }

  async #end(
    agent: Agent,
    why: Failure,
    send: (cell: Cell) => Promise<readonly InterruptReceipt[]>,
  ): Promise<readonly InterruptReceipt[]> {
    const { completion, queue, idlePassivation } = this.#options;
    const { cell, run } = agent;
    if (cell === null) return [];
    if (agent.isTaking) agent.status = 'ending';
    idlePassivation.leave(agent);
    // A parked run whose calls are answered still ends on a thread.
    if (!agent.isReady) queue.leave(agent);
    completion.endQueue(agent, { exitReason: 'interrupted', error: why });
    run?.endFor('interrupted', why);
    // What waits below the run ends here, and has a receipt as what runs there has (S4).
    const below = run === null ? [] : completion.runsBelow(run);
    const waiting = run === null ? [] : completion.endBelow(run, why);
    const ended = await send(cell);
    await Promise.all([run?.task.result, ...below.map(({ result }) => result)]);
    return [...completion.receipts(ended, below), ...waiting];
  }
}

/** The conversation of all runs of an agent, the current one included. */
export function memoryOf({ run, memory, spec }: Agent): readonly Message[] {
  if (run === null) return memory;
  const { messages, begins } = run.record;
  return withoutPreamble(spec.shared.opening ?? noPreamble, messages, begins);
}

/** Of all runs of an agent and what they delegated, so far. */
export function agentUsage({ run, branch }: Agent): Usage {
  const before = usageOf(branch);
  return run === null ? before : addUsage(before, runUsage(run));
}

/** Of all runs of an agent and what they delegated, so far. */
export function agentFiles({ run, branch }: Agent): readonly string[] {
  return [...new Set([...(filesOf(branch) ?? []), ...(run === null ? [] : runFiles(run))])];
}
