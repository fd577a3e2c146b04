// Runs agents on worker threads: implements AgentRuntime on top of the actor kernel.
import type { Address } from '../actor/address.ts';
import type { Cell } from '../actor/cell.ts';
import type { Launch } from '../actor/host.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { measure } from '../actor/serializable.ts';
import type { CellSpawnOptions, Kernel } from '../actor-system/kernel.ts';
import { hookModulesOf } from '../agent/loaded-tools.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { RunRequest } from '../protocol/agent-args.ts';
import type { BudgetAccount, Spend } from '../protocol/budget.ts';
import type { Message } from '../protocol/history.ts';
import type { FromGateway } from '../protocol/model-messages.ts';
import type { AgentControl } from '../protocol/run-controls.ts';
import { sharedFlags } from '../protocol/shared-flags.ts';
import type { GrantedTool } from '../protocol/worker-spec.ts';
import type { AgentActivation, AgentRuntime, LivenessCheck } from '../tasks/agent-runtime.ts';
import type { AgentSpec } from '../tasks/resolve/agent-spec.ts';
import { WorkerActivationHost } from '../threads/worker-activation-host.ts';
import type { WorkerPool } from '../threads/worker-pool.ts';
import type { WorkerSlot } from '../threads/worker-slot.ts';
import { heavyTag } from '../tools/tags.ts';
import type { AgentModel, SupervisorRequest } from './agent-model.ts';
import { LivenessProbe } from './liveness-probe.ts';
import type { ModelRouter } from './model-router.ts';

/** What an agent has while it has an activation, or its run waits for the next. */
type Attached = { slot: WorkerSlot | null; readonly model: AgentModel };

export type WorkerAgentRuntimeOptions = {
  readonly kernel: Kernel;
  readonly pool: WorkerPool;
  readonly models: ModelRouter;
  /** How long the modules of an agent may take to load. */
  readonly startTimeoutMs: number;
};

export class WorkerAgentRuntime implements AgentRuntime {
  readonly #options: WorkerAgentRuntimeOptions;
  readonly #attached = new Map<string, Attached>();

  constructor(options: WorkerAgentRuntimeOptions) {
    this.#options = options;
  }

  create(request: {
    readonly name: string | undefined;
    readonly parent: Address | null;
    readonly below: Address | null;
    readonly survivesCrash: boolean;
    readonly begins: 'in_thread' | 'without_thread' | 'passivated';
  }): Cell {
    const { name, parent, below, survivesCrash, begins } = request;
    const options: CellSpawnOptions = {
      scope: 'run',
      ...(name === undefined ? {} : { name }),
      ...(parent === null ? {} : { parent }),
      ...(below === null || parent !== null ? {} : { pathBelow: below.path }),
      ...(survivesCrash ? { survivesCrash } : {}),
    };
    const cell = this.#options.kernel.createCell(noLaunch, options);
    if (begins !== 'in_thread') cell.openAs(begins === 'passivated' ? 'passivated' : 'parked');
    return cell;
  }

  activate(cell: Cell, activation: AgentActivation): void {
    cell.activate(this.#launch(activation));
  }

  hasSpace(prompt: Message): boolean {
    return this.#options.kernel.router.hasSpace(measure(prompt));
  }

  send(cell: Cell, run: RunRequest): void {
    this.#options.kernel.router.tell(null, cell.address, run);
  }

  control(cell: Cell, control: AgentControl): void {
    cell.control(control);
  }

  openBudget(cell: Cell, accounts: readonly BudgetAccount[]): Promise<void> | null {
    return this.#attached.get(cell.address.id)?.model.openBudget(accounts) ?? null;
  }

  carryBudget(accounts: readonly BudgetAccount[], spent: Spend): void {
    this.#options.models.carry(accounts, spent);
  }

  refuse(cell: Cell, run: RunRequest, reason: 'full' | 'terminated'): void {
    this.#options.kernel.router.refuseTell(cell.address, run, reason);
  }

  interrupt(cell: Cell, options: InterruptOptions): Promise<readonly InterruptReceipt[]> {
    return this.#options.kernel.tree.interrupt(cell.address, options);
  }

  stop(cell: Cell): Promise<readonly InterruptReceipt[]> {
    return this.#options.kernel.tree.stop(cell.address);
  }

  kill(cell: Cell): Promise<readonly InterruptReceipt[]> {
    return this.#options.kernel.tree.kill(cell.address);
  }

  isInterrupting(address: Address): boolean {
    return this.#options.kernel.tree.node(address.id)?.isFrozen ?? true;
  }

  heartbeats(cell: Cell): number {
    const slot = this.#attached.get(cell.address.id)?.slot ?? null;
    return slot === null ? 0 : Atomics.load(slot.sharedFlags, sharedFlags.heartbeats);
  }

  probe(cell: Cell): LivenessCheck {
    return new LivenessProbe(cell, () => this.#attached.get(cell.address.id)?.slot ?? null);
  }

  readAnswers(): void {
    this.#options.models.readAnswers();
  }

  spentBy(cell: Cell): Metered | null {
    return this.#attached.get(cell.address.id)?.model.spent() ?? null;
  }

  suspendModel(
    cell: Cell,
    isAsking: boolean,
    onMessage: (message: FromGateway) => void,
  ): readonly FromGateway[] {
    const attached = this.#attached.get(cell.address.id);
    if (attached === undefined) return [];
    attached.slot = null;
    return attached.model.suspend(isAsking, onMessage);
  }

  askModel(
    cell: Cell,
    { spec, accounts }: { readonly spec: AgentSpec; readonly accounts: readonly BudgetAccount[] },
    request: SupervisorRequest,
    onMessage: (message: FromGateway) => void,
  ): void {
    const { models } = this.#options;
    const { id } = cell.address;
    try {
      const attached = this.#attached.get(id) ?? {
        slot: null,
        model: models.open(cell.address, spec, accounts),
      };
      this.#attached.set(id, attached);
      attached.model.ask(request, onMessage);
    } catch (thrown) {
      // A model of the program may throw as it is opened.
      const why = toFailure(thrown, 'model_failed');
      onMessage({ type: 'model_failed', callId: 0, failure: why });
    }
  }

  abortModel(cell: Cell): void {
    this.#attached.get(cell.address.id)?.model.abort();
  }

  threadHolders(): readonly string[] {
    return this.#options.pool.holders();
  }

  allowThreads(stuck: number): void {
    this.#options.pool.allowBeyondMax(stuck);
  }

  endActivation(cell: Cell): Metered | null {
    const model = this.#attached.get(cell.address.id)?.model;
    this.#attached.delete(cell.address.id);
    // What was in flight on the host is counted by this.
    model?.end();
    return model?.spent() ?? null;
  }

  forget(cell: Cell): void {
    this.#options.pool.forget(cell.address.id);
  }

  endTree(tree: string): void {
    this.#options.models.endTree(tree);
  }

  #launch(given: AgentActivation): Launch {
    const { kernel, pool, models, startTimeoutMs } = this.#options;
    // Every activation of an agent has its own launch. A passivated cell keeps the last one, which is empty then.
    let next: AgentActivation | null = given;
    return (cell) => {
      if (next === null) return noLaunch(cell);
      const activation = next;
      next = null;
      const { spec } = activation;
      return new WorkerActivationHost(cell, {
        pool,
        kernel,
        profile: spec.profile,
        isContinued: activation.isContinued,
        target: { type: 'agent' },
        moduleSet: [...spec.shared.toolModules, ...hookModulesOf(spec.shared)].join(' '),
        isHeavy: spec.shared.tools.some(isHeavy),
        window: 1,
        startTimeoutMs,
        args: () => activation.args(cell.address),
        conversation: activation.memory,
        shared: { key: spec.key, value: spec.shared },
        onSlotAcquired: (slot) => {
          const { id } = cell.address;
          const suspended = this.#attached.get(id);
          const model = suspended?.model ?? models.open(cell.address, spec, activation.accounts);
          model.renew();
          this.#attached.set(id, { slot, model });
          return model.connection;
        },
        services: activation.services,
        onInterrupted: (reason) => activation.interrupted(reason),
      });
    };
  }
}

function isHeavy({ where, tags }: GrantedTool): boolean {
  return where === 'thread' && tags.includes(heavyTag);
}

/** The launch of a cell that was given no activation. */
const noLaunch: Launch = () => {
  throw new TroupeError('internal', 'a cell was opened without an activation');
};
