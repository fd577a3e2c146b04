// Owns what delegation needs of the supervisor: cells for agents, signals, time. Implemented where everything is wired.
import type { Address } from '../actor/address.ts';
import type { Cell } from '../actor/cell.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { OwnArgs, RunRequest } from '../protocol/agent-args.ts';
import type { BudgetAccount, Spend } from '../protocol/budget.ts';
import type { Message } from '../protocol/history.ts';
import type { HostServices } from '../protocol/host-services.ts';
import type { FromGateway } from '../protocol/model-messages.ts';
import type { AgentControl } from '../protocol/run-controls.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';

/** What an activation of an agent is made of. */
export type AgentActivation = {
  readonly spec: AgentSpec;
  readonly args: (address: Address) => OwnArgs;
  /** What it remembers. */
  readonly memory: () => readonly Message[];
  /** What its calls are counted under; of no run yet: nothing. */
  readonly accounts: readonly BudgetAccount[];
  /** It goes on with a run that has begun. */
  readonly isContinued: boolean;
  /** What its thread may call. */
  readonly services: HostServices;
  /** The run is interrupted: its calls end here, whether or not its thread still responds (S4). */
  interrupted(reason: string): void;
};

/** What is known of the thread behind a run (V9). */
export type Liveness =
  | 'answers'
  /** Silent, and it uses the processor. */
  | 'spinning'
  /** Silent, and it sleeps in a call that does not return. */
  | 'blocked'
  /** There is no thread behind the run any more. */
  | 'dead';

/** A question put to a thread's event loop. */
export interface LivenessCheck {
  /** As of now: a thread that was silent may answer yet, and one that answered may die. */
  verdict(): Liveness;
}

export interface AgentRuntime {
  /** Makes an agent's actor, which is passivated or waits for `activate`. Throws `name_taken`, `interrupting`, `actor_terminated`. */
  create(request: {
    readonly name: string | undefined;
    /** The actor that it ends with. */
    readonly parent: Address | null;
    /** The actor that its path is below. */
    readonly below: Address | null;
    /** An activation that is lost leaves it passivated; otherwise it ends with it. */
    readonly survivesCrash: boolean;
    /** Without a thread it waits for what comes to it, or for its first message. */
    readonly begins: 'in_thread' | 'without_thread' | 'passivated';
  }): Cell;
  /** Gives an agent its first or next activation. */
  activate(cell: Cell, activation: AgentActivation): void;
  /** Whether a run that begins with this message fits into the mailbox of an agent that has none yet (M5). */
  hasSpace(prompt: Message): boolean;
  send(cell: Cell, run: RunRequest): void;
  control(cell: Cell, control: AgentControl): void;
  /** Counts the agent's later model calls under other budgets; null when that takes effect at once. */
  openBudget(cell: Cell, accounts: readonly BudgetAccount[]): Promise<void> | null;
  /** What an earlier process has taken of these budgets counts. */
  carryBudget(accounts: readonly BudgetAccount[], spent: Spend): void;
  /** Records a run that an agent was never handed, as a dead letter. */
  refuse(cell: Cell, run: RunRequest, reason: 'full' | 'terminated'): void;
  interrupt(cell: Cell, options: InterruptOptions): Promise<readonly InterruptReceipt[]>;
  stop(cell: Cell): Promise<readonly InterruptReceipt[]>;
  kill(cell: Cell): Promise<readonly InterruptReceipt[]>;
  /** True while an interrupt, stop or kill affects the actor: spawns below it are refused (S4). */
  isInterrupting(address: Address): boolean;
  /** Counts the beats of its tools. */
  heartbeats(cell: Cell): number;
  /** Asks its thread's event loop for a sign of life. Silence means something once there was time to answer. */
  probe(cell: Cell): LivenessCheck;
  /** Reports at once what has streamed by now: it is ahead of what a thread reports of the same call. */
  readAnswers(): void;
  /** What the calls of its model took since this was asked last, as the gateway counted it; null for nothing. */
  spentBy(cell: Cell): Metered | null;
  /**
   * The activation has left its thread in the middle of a run; with `isAsking` its model is asked. Returns what that call was
   * answered meanwhile; else its answer goes to `onMessage`. What calls took until then is in `spentBy`.
   */
  suspendModel(
    cell: Cell,
    isAsking: boolean,
    onMessage: (message: FromGateway) => void,
  ): readonly FromGateway[];
  /** Asks the model of a run that has no thread; its answer, or why it could not be asked, goes to `onMessage`. */
  askModel(
    cell: Cell,
    agent: { readonly spec: AgentSpec; readonly accounts: readonly BudgetAccount[] },
    request: {
      readonly turn: number;
      /** The gateway has the first so many. */
      readonly from: number;
      readonly messages: readonly Message[];
      readonly toolChoice?: 'auto' | 'none';
    },
    onMessage: (message: FromGateway) => void,
  ): void;
  /** Gives up the call of a run that has no thread: it is answered. */
  abortModel(cell: Cell): void;
  /** Ids of the agents whose activations have threads. */
  threadHolders(): readonly string[];
  /** So many threads are held by calls that wait for children: others may be opened in their place. */
  allowThreads(stuck: number): void;
  /** The activation is over: the gateway forgets it. Returns what its calls took that was not asked for yet. */
  endActivation(cell: Cell): Metered | null;
  /** The agent has ended: no thread keeps its conversation any longer. */
  forget(cell: Cell): void;
  /** The tree of this root task is over: its budgets are forgotten. */
  endTree(tree: string): void;
}
