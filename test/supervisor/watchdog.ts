// Owns the watchdog of the suite: it finds runs without a thread that wait for nothing (W3). Starts no test.
import { TaskRegistry } from '#src/tasks/task-registry.js';
import { waitsForCalls } from '#src/tasks/waits.js';

/** Registries of supervisors that have accepted a task. */
const registries = new Set<TaskRegistry>();
const faults = new Set<string>();
let isDue = false;

const { nextId } = TaskRegistry.prototype;
TaskRegistry.prototype.nextId = function () {
  registries.add(this);
  return nextId.call(this);
};

/** Looks once what is being decided is decided. */
export function lookSoon(): void {
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    look();
  });
}

/** What it found since it was asked last, a line each. */
export function idleRuns(): readonly string[] {
  look();
  const found = [...faults];
  faults.clear();
  return found;
}

/** Forgets supervisors that are closed. */
export function forgetRegistries(): void {
  registries.clear();
}

function look(): void {
  for (const registry of registries) {
    for (const { agent, path, record, calls } of registry.runs()) {
      if (!agent.isParked || agent.isReady || !waitsForCalls(record)) continue;
      const ids =
        record.saved.step?.type === 'in_tools' ? record.callsOfTurn.map(({ id }) => id) : [null];
      const isWaiting = ids.some((id) => calls.isOutside(id));
      if (!isWaiting) faults.add(`${path} is parked, and no call of it is open`);
    }
  }
}
