// Owns the census of what a test could leave alive: threads, child processes, timers, servers. Loaded before every test.
import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';

/** Servers and watchers, as Node calls them among its active resources. */
const watchedResources: ReadonlySet<string> = new Set([
  'TCPServerWrap',
  'PipeServerWrap',
  'UDPWrap',
  'FSEventWrap',
]);

// Threads never show among the active resources, a child's handle stays there after its exit, and timers show there
// together with vitest's own. All three are followed from birth.
const threads = new Set<Worker>();
const children = new Set<ChildProcess>();

diagnostics.subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker };
  threads.add(worker);
  worker.once('exit', () => threads.delete(worker));
});
diagnostics.subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.once('error', () => children.delete(child));
});

// Vitest took the real functions before this file was loaded: only timers of tests and of the product are created here.
const timers = new Set<NodeJS.Timeout>();
globalThis.setTimeout = followed(globalThis.setTimeout);
globalThis.setInterval = followed(globalThis.setInterval);

function followed<T extends typeof setTimeout | typeof setInterval>(start: T): T {
  return new Proxy(start, {
    apply(target, self, args) {
      const timer: NodeJS.Timeout = Reflect.apply(target, self, args);
      timers.add(timer);
      return timer;
    },
  });
}

/** Timers that would keep the process alive. `_destroyed` is Node's own mark of a timer that fired or was cleared. */
function livingTimers(): number {
  for (const timer of timers) {
    if ('_destroyed' in timer && timer._destroyed === true) timers.delete(timer);
  }
  return [...timers].filter((timer) => timer.hasRef()).length;
}

type Census = ReadonlyMap<string, number>;

/** How many of each watched thing are alive now. */
export function census(): Census {
  const counts = new Map([
    ['thread', threads.size],
    // One that could not be started has no number.
    ['child process', [...children].filter(({ pid }) => pid !== undefined).length],
    ['timer', livingTimers()],
  ]);
  for (const kind of process.getActiveResourcesInfo()) {
    if (watchedResources.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** What is alive beyond a baseline, one line each. */
export function leaksSince(baseline: Census): readonly string[] {
  return [...census()]
    .map(([kind, count]) => ({ kind, extra: count - (baseline.get(kind) ?? 0) }))
    .filter(({ extra }) => extra > 0)
    .map(({ kind, extra }) => `${extra} ${kind}`);
}

/** Handles close some turns of the event loop after they were told to, and threads need a processor: so long is waited. */
const patienceMs = 5_000;

/** What is still alive beyond a baseline when everything that was closing had its turns. */
export async function lastingLeaks(baseline: Census): Promise<readonly string[]> {
  let leaks = leaksSince(baseline);
  const deadline = performance.now() + patienceMs;
  while (leaks.length > 0 && performance.now() < deadline) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    leaks = leaksSince(baseline);
  }
  return leaks;
}
