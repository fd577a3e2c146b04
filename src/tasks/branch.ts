// Owns what is and was below one agent: unfinished tasks, sums of the ended ones, and agents that ended before what they had
// left in the background (X5). Ends nothing.
import { addUsage, noUsage, type Usage } from '../base/outcome.ts';
import type { TaskRecord } from './task-record.ts';

const noBranches: ReadonlySet<Branch> = new Set();

export class Branch {
  readonly #up: Branch | null;
  /** Unfinished tasks that the agent asked for. */
  readonly children = new Set<TaskRecord>();
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
    for (const { state } of this.children) {
      if (state.status === 'started') usage = addUsage(usage, state.agent.subtreeUsage());
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
    for (const { state } of this.children) {
      if (state.status === 'started') agents += state.agent.subtreeAgents();
    }
    for (const branch of this.left) agents += branch.agents();
    return agents;
  }

  /** Files that were touched below; null for none, which is most often so. */
  files(): Iterable<string> | null {
    if (this.#files === null && this.#isEmpty) return null;
    const files = new Set(this.#files ?? []);
    for (const { state } of this.children) {
      if (state.status !== 'started') continue;
      for (const file of state.agent.allFilesTouched()) files.add(file);
    }
    for (const branch of this.left) for (const file of branch.files() ?? []) files.add(file);
    return files;
  }

  /** Unfinished tasks below that outlive the run which asked for them, the topmost of each branch. */
  *background(): Iterable<TaskRecord> {
    for (const child of this.children) {
      if (child.scope === 'session') yield child;
      else if (child.state.status === 'started') yield* child.state.agent.branch.background();
    }
    for (const branch of this.left) yield* branch.background();
  }

  /** The agent has ended; what it left in the background still counts here. */
  over(): void {
    this.#isOver = true;
  }

  /** A task has ended whose agent, if it had one, is over: what it used and touched counts as below from now on. */
  absorb(child: TaskRecord): void {
    this.children.delete(child);
    if (child.state.status === 'started') {
      const { branch, record, persistentAgent } = child.state.agent;
      // A spawned agent's run is the work of the agent itself.
      this.#add({
        usage: record.usage,
        agents: persistentAgent === null ? 1 : 0,
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
