// Owns one spawned agent in the registry: its place, what it remembers, its runs in their order.
import type { Cell } from '../actor/cell.ts';
import { noPreamble, withoutPreamble } from '../agent/prompt/preamble.ts';
import { type Failure, TroupeError } from '../base/failures.ts';
import { addUsage, type Usage } from '../base/outcome.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { Message } from '../protocol/history.ts';
import type { Queued } from '../supervision/admission.ts';
import { Branch } from './branch.ts';
import type { AgentSpec } from './resolve/agent-resolver.ts';
import type { Run } from './run.ts';
import type { SlotOwner, SlotState } from './slot.ts';
import type { AskedAgent, TaskRecord } from './task-record.ts';

export type PersistentAgentState =
  /** Waits for a slot. */
  | { readonly status: 'waiting' }
  | { readonly status: 'starting'; readonly cell: Cell }
  | { readonly status: 'live'; readonly cell: Cell }
  /** It has been asked to end: it begins no further run. */
  | { readonly status: 'ending'; readonly cell: Cell }
  | { readonly status: 'ended'; readonly cell: Cell | null; readonly why: Failure };

/** The slot is the agent's own between runs; during one it is the run's, which may be parked. */
export class PersistentAgent implements Queued, SlotOwner, AskedAgent {
  readonly kind = 'spawn';
  readonly depth = 0;
  readonly isRoot = true;
  readonly endsWithRun = false;
  readonly name: string;
  readonly spec: AgentSpec;
  /** Position in the slot queue: a new one each time it has no slot. */
  order: number;
  /** A lost activation, by a crash or a kill of its run, leaves it passivated. */
  readonly survivesCrash: boolean;
  /** Resolves when it can take its first run; rejects with why it never will. */
  readonly ready: Promise<void>;
  /** Runs that have not begun, in their order. */
  readonly waiting = new Set<TaskRecord>();
  state: PersistentAgentState = { status: 'waiting' };
  slot: SlotState = 'occupied';
  /** The run that is on. */
  run: Run | null = null;
  /** It could not give its thread up: it is not asked again before its next run. */
  hasStayed = false;
  /** The budget of the next run is being opened. */
  isOpening = false;
  /** Its start was published, so its end has to be. */
  hasStarted = false;
  #memory: readonly Message[] = [];
  /** Its ended runs, what they delegated, and what they left in the background. */
  readonly branch = new Branch(null);
  #resolve: () => void = () => {};
  #reject: (error: TroupeError) => void = () => {};

  constructor(facts: {
    readonly name: string;
    readonly spec: AgentSpec;
    readonly order: number;
    readonly survivesCrash: boolean;
  }) {
    this.name = facts.name;
    this.spec = facts.spec;
    this.order = facts.order;
    this.survivesCrash = facts.survivesCrash;
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The caller of `spawn` receives the rejection, unless it has given the call up.
    this.ready.catch(() => {});
  }

  get cell(): Cell | null {
    return this.state.status === 'waiting' ? null : this.state.cell;
  }

  get id(): string {
    return this.cell?.address.id ?? '';
  }

  get path(): string {
    return this.cell?.address.path ?? `/${this.name}`;
  }

  get subject(): EventSubject {
    return { agentId: this.id, path: this.path, depth: this.depth };
  }

  /** It has no thread, or is about to give it up. */
  get isPassive(): boolean {
    const status = this.cell?.state.status;
    return this.run === null && (status === 'passivated' || status === 'passivating');
  }

  /** The conversation of the runs that are over. */
  get remembered(): readonly Message[] {
    return this.#memory;
  }

  /** The conversation of all its runs, the current one included. */
  get memory(): readonly Message[] {
    if (this.run === null) return this.#memory;
    const { messages, begins } = this.run.record;
    return withoutPreamble(this.spec.shared.opening ?? noPreamble, messages, begins);
  }

  /** Of all its runs and what they delegated, so far. */
  get usage(): Usage {
    const before = this.branch.usage();
    return this.run === null ? before : addUsage(before, this.run.subtreeUsage());
  }

  /** Of all its runs and what they delegated, so far. */
  get filesTouched(): readonly string[] {
    const before = this.branch.files() ?? [];
    if (this.run === null) return [...before];
    return [...new Set([...before, ...this.run.allFilesTouched()])];
  }

  /** It may be asked: a run waits until the agent is free. */
  get isTaking(): boolean {
    return this.state.status === 'starting' || this.state.status === 'live';
  }

  live(cell: Cell): void {
    this.state = { status: 'live', cell };
    this.#resolve();
  }

  ended(why: Failure): void {
    this.state = { status: 'ended', cell: this.cell, why };
    this.#reject(TroupeError.from(why));
  }

  /** A run is over: stores its conversation for the next one. */
  remember(messages: readonly Message[]): void {
    this.#memory = messages;
  }
}
