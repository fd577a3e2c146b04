// Checks what a task that has ended still leads to: whoever keeps its handle keeps no conversation of its caller.
import { expect, it } from 'vitest';
import type { Cell } from '#src/actor/cell.js';
import { RunRecord } from '#src/agent/run/record.js';
import { noUsage, type Outcome } from '#src/base/outcome.js';
import type { AgentSpec } from '#src/tasks/resolve/agent-spec.js';
import { Agent, Run, TaskRecord } from '#src/tasks/state.js';

const spec = {} as AgentSpec;
const cell = { address: { id: 'a1', path: '/a' }, state: { status: 'running' } } as Cell;

function begun(id: string, parent: Run | null): Run {
  const facts = { spec, name: id, lifetime: 'task', depth: 0, survivesCrash: false } as const;
  const agent = new Agent({ ...facts, parent });
  const origin = { parent, index: 0, width: 1 };
  const task = new TaskRecord({ id, task: { goal: id }, origin, acceptedAt: 0, agent });
  task.run = new Run({
    agent,
    cell,
    task,
    record: new RunRecord([]),
    budget: { shared: [], accounts: [] },
    startedAt: 0,
  });
  return task.run;
}

/** Everything that can be reached from a value by its fields. */
function reachedFrom(value: unknown): ReadonlySet<unknown> {
  const seen = new Set<unknown>();
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    left.push(...Object.values(next), ...(next instanceof Set ? next : []));
  }
  return seen;
}

it('a task that has ended leads neither to its run nor to that of its caller (O2)', () => {
  const caller = begun('t1', null);
  const run = begun('t2', caller);
  const { task } = run;
  expect(reachedFrom(task)).toContain(caller.record);

  task.end({ status: 'completed', usage: { own: noUsage, subtree: noUsage } } as Outcome);

  const reached = reachedFrom(task);
  expect([reached.has(caller.record), reached.has(run.record)]).toEqual([false, false]);
});
