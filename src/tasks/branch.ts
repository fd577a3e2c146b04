// Owns what is and was below one agent: unfinished tasks, sums of the ended ones, and agents that ended before what they had
// left in the background (X5). Ends nothing.
import type { Cell } from '../actor/cell.ts';
import { addUsage, noUsage, type Outcome, type Usage } from '../base/outcome.ts';
import type { ChildScope } from '../supervision/child-spec.ts';
import type { IdleClock } from '../supervision/idle-clock.ts';
import type { SlotState } from './slot.ts';

/** An unfinished task, as it is seen from above. */
export interface TaskBelow {
  readonly id: string;
  readonly scope: ChildScope;
  readonly result: Promise<Outcome>;
  /** Null until it has started. */
  readonly run: RunBelow | null;
}

/** Its run. */
export interface RunBelow {
  readonly cell: Cell;
  readonly slot: SlotState;
  readonly idle: IdleClock | null;
  readonly branch: Branch;
  /** False for the run of a spawned agent. */
  readonly endsWithRun: boolean;
  readonly record: { readonly usage: Usage; readonly filesTouched: readonly string[] };
  subtreeUsage(): Usage;
  subtreeAgents(): number;
  allFilesTouched(): readonly string[];
}

const noBranches: ReadonlySet<Branch> = new Set();

export class Branch {
  readonly #up: Branch | null;
  /** Unfinished tasks that the agent asked for. */
  readonly children = new Set<TaskBelow>();
  /** Of ended agents below, whose background tasks go on. Made when there is one: most branches have none. */
  #left: Set<Branch> | null = null;
  #usage: Usage = noUsage;
  #files: Set<string> | null = null;
  #agents = 0;
  #isOver = false;

  constructor(up: Branch | null) {
    this.#up = up;
  }

  get left(): ReadonlySet<Branch> {
    return this.#left ?? noBranches;
  }

  /** The agent has ended, and everything below it. */
  get isDone(): boolean {
    return this.#isOver && this.#isEmpty;
  }

  /** True while a task runs that ends with the agent's run. */
  get hasRunScoped(): boolean {
    for (const { scope } of this.children) if (scope === 'run') return true;
    return false;
  }

  /** Of everything there is and was below the agent, live. */
  usage(): Usage {
    let usage = this.#usage;
    for (const { run } of this.children) {
      if (run !== null) usage = addUsage(usage, run.subtreeUsage());
    }
    for (const branch of this.left) usage = addUsage(usage, branch.usage());
    return usage;
  }

  /** Its own agent's calls took this between two runs. */
  spend(usage: Usage): void {
    this.#add({ usage, agents: 0, files: [] });
  }

  /** Every agent there is or was below. */
  agents(): number {
    let agents = this.#agents;
    for (const { run } of this.children) agents += run?.subtreeAgents() ?? 0;
    for (const branch of this.left) agents += branch.agents();
    return agents;
  }

  /** Files that were touched below; null for none, which is most often so. */
  files(): Iterable<string> | null {
    if (this.#files === null && this.#isEmpty) return null;
    const files = new Set(this.#files ?? []);
    for (const { run } of this.children) {
      for (const file of run?.allFilesTouched() ?? []) files.add(file);
    }
    for (const branch of this.left) for (const file of branch.files() ?? []) files.add(file);
    return files;
  }

  /** Unfinished tasks below that outlive the run which asked for them, the topmost of each branch. */
  *background(): Iterable<TaskBelow> {
    for (const child of this.children) {
      if (child.scope === 'session') yield child;
      else if (child.run !== null) yield* child.run.branch.background();
    }
    for (const branch of this.left) yield* branch.background();
  }

  /** The agent has ended; what it left in the background still counts here. */
  over(): void {
    this.#isOver = true;
  }

  /** A task has ended whose agent, if it had one, is over: what it used and touched counts as below from now on. */
  absorb(child: TaskBelow): void {
    this.children.delete(child);
    if (child.run !== null) {
      const { branch, record, endsWithRun } = child.run;
      // A spawned agent's run is the work of the agent itself.
      this.#add({
        usage: record.usage,
        agents: endsWithRun ? 1 : 0,
        files: record.filesTouched,
      });
      if (branch.isDone) this.#fold(branch);
      else {
        this.#left ??= new Set();
        this.#left.add(branch);
      }
    }
    this.#foldIfDone();
  }

  #fold(branch: Branch): void {
    this.#left?.delete(branch);
    this.#add({ usage: branch.#usage, agents: branch.#agents, files: branch.#files ?? [] });
  }

  /** The last of what it had left has ended: above, its sums are enough. */
  #foldIfDone(): void {
    const up = this.#up;
    if (!this.isDone || up === null || !up.left.has(this)) return;
    up.#fold(this);
    up.#foldIfDone();
  }

  #add(sums: {
    readonly usage: Usage;
    readonly agents: number;
    readonly files: Iterable<string>;
  }): void {
    this.#usage = addUsage(this.#usage, sums.usage);
    this.#agents += sums.agents;
    for (const file of sums.files) {
      this.#files ??= new Set();
      this.#files.add(file);
    }
  }

  get #isEmpty(): boolean {
    return this.children.size === 0 && this.left.size === 0;
  }
}
