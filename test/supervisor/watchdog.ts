// Owns the watchdog of the suite: it finds runs without a thread that wait for nothing (W3). Starts no test.
import { TaskScheduler } from '#src/tasks/task-scheduler.js';

/** Desks of supervisors in which an agent has begun. */
const desks = new Set<TaskScheduler>();
const faults = new Set<string>();
let isDue = false;

const { started } = TaskScheduler.prototype;
TaskScheduler.prototype.started = function (cell) {
  desks.add(this);
  started.call(this, cell);
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
export function forgetDesks(): void {
  desks.clear();
}

function look(): void {
  for (const scheduler of desks) {
    for (const { slot, path, record, hostTools } of scheduler.registry.agents.values()) {
      if (slot !== 'parked') continue;
      const isWaiting = record.callsOfTurn.some(({ id }) => hostTools?.isOpen(id) === true);
      if (!isWaiting) faults.add(`${path} is parked, and no call of it is open`);
    }
  }
}
