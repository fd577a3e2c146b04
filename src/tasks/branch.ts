// Owns the sums over what is and was below a run or an agent: usage, agents, files; what ended is added up, what ended before
// its background tasks is kept until they have ended too (X5). Ends nothing.
import { addUsage, noUsage, type Usage } from '../base/outcome.ts';
import type { Branch, Run, TaskRecord } from './state.ts';

/** Of everything there is and was below, live. */
export function usageOf(branch: Branch): Usage {
  let { usage } = branch;
  for (const { run, earlier } of branch.children) {
    if (run !== null) usage = addUsage(usage, runUsage(run));
    else if (earlier !== null) {
      usage = addUsage(usage, addUsage(earlier.usage, usageOf(earlier.branch)));
    }
  }
  for (const left of leftOf(branch)) usage = addUsage(usage, usageOf(left));
  return usage;
}

/** Own usage of a run and that of every descendant so far, live. */
export function runUsage({ record, branch }: Run): Usage {
  return addUsage(record.usage, usageOf(branch));
}

/** Every agent there is or was below. */
export function agentsOf(branch: Branch): number {
  let { agents } = branch;
  for (const { run, earlier } of branch.children) {
    if (run !== null) agents += 1 + agentsOf(run.branch);
    else if (earlier !== null) agents += agentsOf(earlier.branch);
  }
  for (const left of leftOf(branch)) agents += agentsOf(left);
  return agents;
}

/** Files that were touched below; null for none, which is most often so. */
export function filesOf(branch: Branch): Iterable<string> | null {
  if (branch.files === null && isEmpty(branch)) return null;
  const files = new Set(branch.files ?? []);
  for (const { run, earlier } of branch.children) {
    const below = earlier === null ? null : filesOf(earlier.branch);
    for (const file of run === null ? (below ?? []) : runFiles(run)) files.add(file);
  }
  for (const left of leftOf(branch)) for (const file of filesOf(left) ?? []) files.add(file);
  return files;
}

/** Files that a run or anything below it touched so far. */
export function runFiles({ record: { filesTouched }, branch }: Run): readonly string[] {
  const below = filesOf(branch);
  return below === null ? filesTouched : [...new Set([...filesTouched, ...below])];
}

/** Unfinished tasks below that outlive the run which asked for them, the topmost of each branch. */
export function* backgroundOf(branch: Branch): Iterable<TaskRecord> {
  for (const child of branch.children) {
    if (child.scope === 'session') yield child;
    else {
      const below = child.run?.branch ?? child.earlier?.branch;
      if (below !== undefined) yield* backgroundOf(below);
    }
  }
  for (const left of leftOf(branch)) yield* backgroundOf(left);
}

/** What ended runs have left below. */
export function leftOf({ left }: Branch): Iterable<Branch> {
  return left ?? [];
}

/** True while a task runs that ends with the run. */
export function hasRunScoped({ children }: Branch): boolean {
  for (const { scope } of children) if (scope === 'run') return true;
  return false;
}

/** Its run has ended, and everything below it. */
export function isDone(branch: Branch): boolean {
  return branch.isOver && isEmpty(branch);
}

/** A task is about to end: what its run used and touched counts as below from now on. */
export function absorb(above: Branch, child: TaskRecord): void {
  above.children.delete(child);
  const { run, earlier } = child;
  if (run !== null) {
    const { record, branch, agent } = run;
    add(above, {
      usage: record.usage,
      // A persistent agent's run is the work of the agent itself.
      agents: agent.lifetime === 'task' ? 1 : 0,
      files: record.filesTouched,
    });
    take(above, branch);
  } else if (earlier !== null) {
    // It has ended between two attempts.
    add(above, { usage: earlier.usage, agents: 0, files: [] });
    earlier.branch.isOver = true;
    take(above, earlier.branch);
  }
  foldIfDone(above);
}

/** A run is over and its task is not: what it was, and what is below it, counts as below the next run of the task. */
export function handOver({ record, branch }: Run, next: Branch): void {
  add(next, { usage: noUsage, agents: 1, files: record.filesTouched });
  branch.isOver = true;
  branch.up = next;
  take(next, branch);
}

function take(above: Branch, branch: Branch): void {
  if (isDone(branch)) fold(above, branch);
  else {
    above.left ??= new Set();
    above.left.add(branch);
  }
}

/** Above a branch that is done its sums are enough. */
function fold(above: Branch, branch: Branch): void {
  above.left?.delete(branch);
  add(above, { usage: branch.usage, agents: branch.agents, files: branch.files ?? [] });
}

function foldIfDone(branch: Branch): void {
  const { up } = branch;
  if (!isDone(branch) || up?.left?.has(branch) !== true) return;
  fold(up, branch);
  foldIfDone(up);
}

function add(
  branch: Branch,
  ended: { readonly usage: Usage; readonly agents: number; readonly files: Iterable<string> },
): void {
  branch.usage = addUsage(branch.usage, ended.usage);
  branch.agents += ended.agents;
  for (const file of ended.files) {
    branch.files ??= new Set();
    branch.files.add(file);
  }
}

function isEmpty({ children, left }: Branch): boolean {
  return children.size === 0 && (left === null || left.size === 0);
}
