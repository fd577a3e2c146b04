// Owns the end of a child process and of everything in its group: asked first, then killed. Starts nothing.
import type { ChildProcess } from 'node:child_process';
import type { CancelTimer, Clock } from '../../../base/clock.ts';

/** The leader of a group of its own (`detached`) and all that it started; who leaves the group by `setsid` is not followed. */
export class ProcessGroup {
  /** Resolves when the leader has exited and no process of the group is left, or the group was killed. */
  readonly over: Promise<void>;
  readonly #pid: number;
  readonly #clock: Clock;
  readonly #graceMs: number;
  #settle: () => void = () => {};
  #cancelKill: CancelTimer = () => {};
  #isEnding = false;
  #isKilled = false;
  #hasExited = false;
  #isOver = false;

  constructor(
    child: ChildProcess,
    pid: number,
    { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
  ) {
    this.#pid = pid;
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
    child.once('exit', () => {
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
    this.#settle();
  }

  /** False when there is no process to signal. The system reuses a group's number once it has no live member. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#isOver) return false;
    try {
      return process.kill(-this.#pid, signal);
    } catch {
      // ESRCH, or EPERM where only dead members are left: there is no process to signal.
      return false;
    }
  }
}
