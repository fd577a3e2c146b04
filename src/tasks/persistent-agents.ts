// Owns spawned agents from admission to end: their runs, one after the other in the order they were asked.
// Leaves out what a run is (task-scheduler.ts) and how it ends (completion/).
import type { Cell } from '../actor/cell.ts';
import { type Exit, isNormalExit } from '../actor/exit.ts';
import { reasonOf } from '../actor/interrupt-reason.ts';
import { defaultMailboxLimits } from '../actor/mailbox.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { type AgentDefinition, agentSchema } from '../agent/definition.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { ProcessRef } from '../base/clock.ts';
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import { AgentQueue, type AgentQueueOptions } from './agent-queue.ts';
import { stopOf } from './completion/completion.ts';
import type { OpenToolsets } from './open-toolsets.ts';
import { PersistentAgent } from './persistent-agent.ts';
import type { AgentSpec } from './resolve/agent-resolver.ts';
import { checkTask, type Task } from './task.ts';
import type { TaskRecord } from './task-record.ts';
import type { TaskRegistry } from './task-registry.ts';

export type PersistentAgentsOptions = AgentQueueOptions & {
  readonly registry: TaskRegistry;
  readonly openToolsets: OpenToolsets;
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
  readonly #runs: AgentQueue;

  constructor(options: PersistentAgentsOptions) {
    this.#options = options;
    this.#runs = new AgentQueue(options);
  }

  /** Begins the next run when the agent is free and nothing is paused. */
  next(agent: PersistentAgent): void {
    this.#runs.next(agent);
  }

  /** Resolves when the agent can be asked. Rejects what is wrong with it, a limit it meets, and why it did not start. */
  async spawn(agent: string | AgentDefinition, options: SpawnSettings): Promise<PersistentAgent> {
    const { queue, processRef, specOf, admitRoot, pump } = this.#options;
    const { name, survivesCrash = false, lazy = false } = options;
    if (typeof agent !== 'string') parseOptions(agentSchema, agent, 'spawn', 'invalid_agent');
    const spec = await specOf(agent);
    const order = queue.nextOrder();
    const persistent = new PersistentAgent({ name: name ?? spec.name, spec, order, survivesCrash });
    if (lazy) return this.#beginPassive(persistent);
    const verdict = admitRoot();
    switch (verdict.type) {
      case 'start':
        this.start(persistent);
        break;
      case 'queue':
        queue.join(persistent);
        pump();
        break;
      case 'reject':
        throw new TroupeError(verdict.limit, verdict.message, { retryable: true });
    }
    await processRef.during(persistent.ready);
    return persistent;
  }

  /** An agent without a run needs neither thread nor slot: its first run acquires them (P2). Throws `name_taken`. */
  #beginPassive(agent: PersistentAgent): PersistentAgent {
    const { registry, runtime, refuseClosed } = this.#options;
    refuseClosed();
    runtime.spawnPassive({
      name: agent.name,
      survivesCrash: agent.survivesCrash,
      onCreated: (cell) => {
        agent.slot = 'released';
        agent.live(cell);
        registry.persistent.set(agent.id, agent);
      },
    });
    this.#tellStart(agent);
    this.#tellPassive(agent, 'idle');
    return agent;
  }

  /** Gives an agent that was admitted its slot and its activation: the first one, or the next that it has a run for. */
  start(agent: PersistentAgent): void {
    const { registry, queue, activations, runtime } = this.#options;
    if (agent.state.status !== 'waiting') {
      this.#runs.activate(agent);
      return;
    }
    try {
      runtime.spawn({
        name: agent.name,
        parent: null,
        survivesCrash: agent.survivesCrash,
        activationOf: (cell) => {
          agent.state = { status: 'starting', cell };
          queue.takeSlot(agent);
          registry.persistent.set(agent.id, agent);
          return activations.activationOf(agent);
        },
      });
    } catch (error) {
      agent.ended(toFailure(error, 'spawn_failed'));
    }
  }

  /** Ends the agents that wait for a slot: nothing starts any more. */
  close(): void {
    const { queue } = this.#options;
    for (const agent of queue.spawns()) {
      queue.leave(agent);
      // A passivated agent ends with its cell.
      if (agent.state.status !== 'waiting') continue;
      agent.ended(failure('closed', 'the supervisor is closed'));
    }
  }

  // --- what is asked of an agent

  /** Accepts a run. Throws `actor_terminated`, `mailbox_full` and what is wrong with the task. */
  ask(agent: PersistentAgent, task: Task): TaskRecord {
    if (!agent.isTaking) throw new TroupeError('actor_terminated', `${agent.path} has ended`);
    if (agent.waiting.size >= maxWaiting) {
      const why = `${maxWaiting} runs wait for ${agent.path} already`;
      throw new TroupeError('mailbox_full', why, { retryable: true });
    }
    const entry = this.#enter(agent, task);
    agent.waiting.add(entry);
    this.#runs.next(agent);
    return entry;
  }

  /** Accepts a run, or makes it a dead letter (M5). Throws what is wrong with the task. */
  tell(agent: PersistentAgent, task: Task): void {
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
  cancel(entry: TaskRecord, reason: string): void {
    void this.#options.completion.interrupt(entry, { reason });
  }

  /** Scope `run` and `subtree` end the run that is on, `agent` ends the agent after it (S5). */
  async interrupt(
    agent: PersistentAgent,
    options: InterruptOptions,
  ): Promise<readonly InterruptReceipt[]> {
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
        ? completion.interruptTask(run.task.id, { scope, reason })
        : cell === null
          ? []
          : runtime.interrupt(cell, { scope, reason });
    // What earlier runs have left.
    const background = completion.interruptBackground(agent.branch, { scope, reason });
    return [...(await ending), ...(await background)];
  }

  stop(agent: PersistentAgent): Promise<readonly InterruptReceipt[]> {
    const why = failure('stopped', `${agent.path} was stopped`);
    return this.#end(agent, why, (cell) => this.#options.runtime.stop(cell));
  }

  kill(agent: PersistentAgent): Promise<readonly InterruptReceipt[]> {
    const why = failure('killed', `${agent.path} was killed`);
    return this.#end(agent, why, (cell) => this.#options.runtime.kill(cell));
  }

  async #end(
    agent: PersistentAgent,
    why: Failure,
    send: (cell: Cell) => Promise<readonly InterruptReceipt[]>,
  ): Promise<readonly InterruptReceipt[]> {
    const { cell, run } = agent;
    if (cell === null) return [];
    if (agent.isTaking) agent.state = { status: 'ending', cell };
    this.#forget(agent);
    this.#endWaiting(agent, why);
    run?.endFor('interrupted', why);
    const { completion } = this.#options;
    // What waits below the run ends here, and has a receipt as what runs there has (S4).
    const below = run === null ? [] : completion.runsBelow(run);
    const waiting = run === null ? [] : completion.endBelow(run, why);
    const ended = await send(cell);
    await Promise.all([run?.task.result, ...below.map(({ result }) => result)]);
    return [...completion.receipts(ended, below), ...waiting];
  }

  // --- what its cell reports

  started(cell: Cell): void {
    const agent = this.#options.registry.persistent.get(cell.address.id);
    if (agent === undefined || agent.hasStarted) return;
    this.#tellStart(agent);
    if (agent.state.status === 'starting') agent.live(cell);
    this.#runs.next(agent);
  }

  /** It has no thread any more; `lost` is how its activation ended when it did not give its thread up. */
  passivated(agent: PersistentAgent, lost: Exit | null): void {
    this.#options.rest.leave(agent);
    agent.slot = 'released';
    this.#tellPassive(agent, lost === null ? 'idle' : 'lost', lost?.failure);
    this.#runs.next(agent);
  }

  /** It was asked to passivate and did not. */
  stayedLive(cell: Cell): void {
    const agent = this.#options.registry.persistent.get(cell.address.id);
    if (agent === undefined) return;
    this.#options.rest.leave(agent);
    agent.hasStayed = true;
    this.#runs.next(agent);
  }

  /** Its cell is over. */
  released(agent: PersistentAgent, exit: Exit): void {
    const { registry, openToolsets, events } = this.#options;
    registry.persistent.delete(agent.id);
    this.#forget(agent);
    openToolsets.end(agent.id);
    if (agent.hasStarted) events.emit('agent_stopped', agent.subject, stopOf(exit));
    const why = failure('actor_terminated', `${agent.path} has ended (${exit.reason})`);
    agent.ended(exit.failure ?? why);
    const wasEnded = isNormalExit(exit.reason) || exit.reason === 'killed';
    this.#endWaiting(agent, why, wasEnded ? 'interrupted' : 'rejected');
  }

  #tellStart(agent: PersistentAgent): void {
    agent.hasStarted = true;
    const { name, modelId } = agent.spec;
    this.#options.events.emit('agent_started', agent.subject, { name, model: modelId });
  }

  #tellPassive(agent: PersistentAgent, reason: 'idle' | 'lost', cause?: Failure): void {
    const failed = cause === undefined ? {} : { failure: cause };
    this.#options.events.emit('agent_passivated', agent.subject, { reason, ...failed });
  }

  #enter(agent: PersistentAgent, value: Task): TaskRecord {
    const { registry, queue, refuseClosed } = this.#options;
    refuseClosed();
    const task = checkTask(value, 0);
    const origin = { parent: null, index: 0, width: 1 };
    const waiting = agent.waiting.size;
    const place = { order: queue.nextOrder(), waiting, persistentAgent: agent };
    const entry = registry.enter(task, origin, place);
    entry.spec = agent.spec;
    entry.state = { status: 'queued' };
    return entry;
  }

  #forget(agent: PersistentAgent): void {
    this.#options.rest.leave(agent);
    this.#options.queue.leave(agent);
  }

  #endWaiting(
    agent: PersistentAgent,
    error: Failure,
    exitReason: 'interrupted' | 'rejected' = 'interrupted',
  ): void {
    for (const entry of [...agent.waiting]) {
      this.#options.completion.endWaiting(entry, { exitReason, error });
    }
  }
}
