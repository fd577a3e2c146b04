// Owns which runs of a session's main agents are active: counted, so that the end of one is not taken for another's
// (A47, A71). Leaves out what an end does.

type ToolsRun = {
  /** A weak reference: a loop that failed ends no run; its run is over once its tools are collected. */
  readonly tools: WeakRef<object>;
  isUsed: boolean;
};

export class MainRuns {
  /** That the program began itself. */
  #begun = 0;
  /** That tools began for a program which begins none, oldest first. */
  #ofTools: readonly ToolsRun[] = [];
  /** Of agents of the tree, by their ids. */
  readonly #ofAgents = new Set<string>();

  get isOn(): boolean {
    return this.#begun > 0 || this.#ofAgents.size > 0 || this.#liveTools().length > 0;
  }

  /** The program begins a run. It begins all of them then: what tools began for it is forgotten. */
  begin(): void {
    this.#ofTools = [];
    this.#begun += 1;
  }

  /** The program has asked for its tools: a run begins, unless the program begins its runs itself. */
  beginWith(tools: object): void {
    if (this.#begun > 0) return;
    this.#ofTools = [...this.#liveTools(), { tools: new WeakRef(tools), isUsed: false }];
  }

  /** A tool is called: its caller is in a run. */
  called(tools: object): void {
    if (!this.isOn) this.beginWith(tools);
    for (const run of this.#ofTools) if (run.tools.deref() === tools) run.isUsed = true;
  }

  /** A run of the program is over. */
  end(): void {
    if (this.#begun > 0) this.#begun -= 1;
    else this.#ofTools = this.#liveTools().slice(1);
  }

  /** Tools that were never called belong to no run: the session was configured by them. */
  beginOfAgent(runId: string): void {
    this.#ofTools = this.#liveTools().filter(({ isUsed }) => isUsed);
    this.#ofAgents.add(runId);
  }

  /** False for a run that never began here: its end is none. */
  endOfAgent(runId: string): boolean {
    return this.#ofAgents.delete(runId);
  }

  #liveTools(): readonly ToolsRun[] {
    return this.#ofTools.filter(({ tools }) => tools.deref() !== undefined);
  }
}
