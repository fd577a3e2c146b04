// Owns a child process and everything in its group: started under a watcher, asked to end first, then killed.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { signalGroup } from '../../base/signal-group.ts';
import { GroupWatcher } from './group-watcher.ts';

export type GroupCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
};

export type GroupOptions = {
  readonly clock: Clock;
  /** Between the signal that asks a group to end and the one that ends it. */
  readonly graceMs: number;
};

export type GroupLeader = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a command as the leader of a group of its own, which ends with this process in whatever way that ends. There is no
 * group when the command cannot be started: the leader emits the reason as an error. Throws when no process can be.
 */
export function startGroup(
  { file, args, cwd, env }: GroupCommand,
  options: GroupOptions,
): { readonly leader: GroupLeader; readonly group: ProcessGroup | null } {
  const watcher = GroupWatcher.start();
  const leader = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const { pid } = leader;
  if (pid !== undefined) return { leader, group: new ProcessGroup(leader, pid, watcher, options) };
  void watcher?.end();
  return { leader, group: null };
}

/** The leader and all that it started; a process that leaves the group by `setsid` is not followed. */
export class ProcessGroup {
  /** Resolves when the leader has exited and no process of the group is left, or the group was killed. */
  readonly over: Promise<void>;
  readonly pid: number;
  readonly #watcher: GroupWatcher | null;
  readonly #clock: Clock;
  readonly #graceMs: number;
  #settle: () => void = () => {};
  #cancelKill: CancelTimer = () => {};
  #isEnding = false;
  #isKilled = false;
  #hasExited = false;
  #isOver = false;

  constructor(
    leader: ChildProcess,
    pid: number,
    watcher: GroupWatcher | null,
    { clock, graceMs }: GroupOptions,
  ) {
    this.pid = pid;
    this.#watcher = watcher;
    watcher?.watch(pid);
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
    leader.once('exit', () => {
      this.#hasExited = true;
      // What the leader left running in its group ends too.
      if (!this.#signal(0)) this.#finish();
      else if (this.#isKilled) void this.kill();
      else void this.end();
    });
  }

  /** SIGTERM to the group, SIGKILL after the grace. */
  end(): Promise<void> {
    if (this.#isEnding || this.#isOver) return this.over;
    this.#isEnding = true;
    this.#signal('SIGTERM');
    this.#cancelKill = this.#clock.after(this.#graceMs, () => void this.kill());
    return this.over;
  }

  /** SIGKILL to the group at once. */
  kill(): Promise<void> {
    this.#isEnding = true;
    this.#isKilled = true;
    this.#cancelKill();
    this.#signal('SIGKILL');
    if (this.#hasExited) this.#finish();
    return this.over;
  }

  #finish(): void {
    this.#isOver = true;
    this.#cancelKill();
    if (this.#watcher === null) this.#settle();
    else void this.#watcher.end().then(this.#settle);
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    return !this.#isOver && signalGroup(this.pid, signal);
  }
}
