// Owns what a program does with persistent agents: spawn, ask, tell, interrupt, stop, kill; and what they remember and used.
import { reasonOf } from '../actor/interrupt-reason.ts';
import { defaultMailboxLimits } from '../actor/mailbox.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { type AgentDefinition, agentSchema } from '../agent/definition.ts';
import { noPreamble, withoutPreamble } from '../agent/prompt/preamble.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { ProcessRef } from '../base/clock.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import { addUsage, type Usage } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { Message } from '../protocol/history.ts';
import type { AgentRuns } from './agent-runs.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import { filesOf, runFiles, runUsage, usageOf } from './branch.ts';
import type { EarlierAgents } from './earlier-agents.ts';
import type { Interrupts } from './interrupts.ts';
import type { AgentMemories } from './journal/agent-memories.ts';
import { WrittenAgent } from './journal/written-agent.ts';
import type { SchedulerMessage } from './messages.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import { Agent, type TaskRecord } from './state.ts';
import type { Task } from './task.ts';
import { whenReady } from './when-ready.ts';

export type PersistentAgentsOptions = {
  readonly interrupts: Interrupts;
  readonly runtime: AgentRuntime;
  readonly processRef: ProcessRef;
  readonly dispatch: (message: SchedulerMessage) => void;
  /** What an agent is made of. Rejects what is wrong with it. */
  readonly specOf: (agent: string | AgentDefinition) => Promise<AgentSpec>;
  readonly runs: Pick<AgentRuns, 'make' | 'withKey'>;
  readonly earlier: Pick<EarlierAgents, 'claim'>;
  /** Null where agents are not written down. */
  readonly memories: Pick<AgentMemories, 'read'> | null;
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

  /**
   * Resolves when the agent can be asked; one that an earlier process had under this name goes on. Rejects what is wrong with
   * it, a limit it meets, and why it did not start.
   */
  async spawn(definition: string | AgentDefinition, options: SpawnSettings): Promise<Agent> {
    const { processRef, specOf, earlier, dispatch, memories } = this.#options;
    const { survivesCrash = false, lazy: isLazy = false } = options;
    if (typeof definition !== 'string') {
      parseOptions(agentSchema, definition, 'spawn', 'invalid_agent');
    }
    const { name = typeof definition === 'string' ? definition : definition.name } = options;
    // Made at the call: what its caller changes later is no part of it.
    const made = specOf(definition);
    made.catch(() => {});
    const definedAs = typeof definition === 'string' ? definition : definition.name;
    const given = { definedAs, spec: made, survivesCrash };
    const known = await earlier.claim(name, given);
    if (known !== null) return known;
    const spec = await made;
    const about = { spec, name, parent: null, depth: 0, survivesCrash } as const;
    const agent = new Agent({ ...about, lifetime: 'persistent' });
    if (memories !== null) agent.written = new WrittenAgent();
    const ready = whenReady(agent);
    dispatch({ type: 'spawn', agent, isLazy });
    await processRef.during(ready);
    return agent;
  }

  /** Accepts a run. Throws `actor_terminated`, `mailbox_full` and what is wrong with the task. */
  ask(agent: Agent, value: Task): TaskRecord {
    if (!agent.isTaking) throw new TroupeError('actor_terminated', `${agent.path} has ended`);
    const { dispatch, runs } = this.#options;
    const known = runs.withKey(value);
    if (known !== null) return known;
    const waiting = agent.queue.size;
    if (waiting >= maxWaiting) {
      const why = `${maxWaiting} runs wait for ${agent.path} already`;
      throw new TroupeError('mailbox_full', why, { retryable: true });
    }
    const task = runs.make(agent, value);
    dispatch({ type: 'ask', agent, task });
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

  /**
   * The conversation of all runs of an agent, the current one included. Where only the journal has it, waits for that, and throws
   * what is wrong with it.
   */
  historyOf(agent: Agent): readonly Message[] {
    const { run, memory, spec } = agent;
    if (run !== null) {
      const { messages, begins } = run.record;
      return withoutPreamble(spec.shared.opening ?? noPreamble, messages, begins);
    }
    return memory ?? this.#options.memories?.read(agent).memory ?? [];
  }

  /** Cancels a run that its caller no longer awaits: it is interrupted, or never begins. */
  cancel(task: TaskRecord, reason: string): void {
    void this.#options.interrupts.interrupt(task, { reason });
  }

  /** Scope `run` and `subtree` end the run that is on, `agent` ends the agent after it (S5). */
  async interrupt(agent: Agent, options: InterruptOptions): Promise<readonly InterruptReceipt[]> {
    const { runtime, interrupts } = this.#options;
    const { scope = 'run' } = options;
    const reason = reasonOf(options);
    const { run, cell } = agent;
    if (cell === null) return [];
    if (scope === 'agent') {
      const error = failure('interrupted', reason);
      return interrupts.endAgent(agent, 'interrupt', { scope, reason }, error);
    }
    const ending =
      run === null
        ? runtime.interrupt(cell, { scope, reason })
        : interrupts.interrupt(run.task, { scope, reason });
    // What earlier runs have left.
    const background = interrupts.interruptBackground(agent.branch, { scope, reason });
    return [...(await ending), ...(await background)];
  }

  async stop(agent: Agent): Promise<readonly InterruptReceipt[]> {
    const reason = `${agent.path} was stopped`;
    return this.#options.interrupts.endAgent(agent, 'stop', { reason }, failure('stopped', reason));
  }

  async kill(agent: Agent): Promise<readonly InterruptReceipt[]> {
    const reason = `${agent.path} was killed`;
    return this.#options.interrupts.endAgent(agent, 'kill', { reason }, failure('killed', reason));
  }
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
