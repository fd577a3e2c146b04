// Owns the process that ends a group when this one is gone: killed, crashed, or exited without closing.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';

const shell = '/bin/sh';
/**
 * The number of the group is the only line it gets. Its input ends with this process, however that ends: no record of a
 * number would do, since the system reuses it.
 */
const script = 'read -r group; read -r end; kill -s KILL -- "-$group"';

/** A shell in a session of its own, so that no signal to this process's group or terminal ends it first. */
export class GroupWatcher {
  readonly #child: ChildProcessByStdio<Writable, null, null>;
  readonly #over: Promise<void>;

  private constructor(child: ChildProcessByStdio<Writable, null, null>) {
    this.#child = child;
    this.#over = new Promise((resolve) => child.once('exit', () => resolve()));
    // One that was killed by others breaks its pipe; the group goes on without it.
    child.stdin.on('error', () => {});
    child.unref();
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  }

  /**
   * Started before its group: between the two starts nothing would end what is started. Null on a system without the shell, where
   * a group ends with its owner alone. Throws when no process can be started.
   */
  static start(): GroupWatcher | null {
    if (!existsSync(shell)) return null;
    const child = spawn(shell, ['-c', script], {
      cwd: '/',
      // Its environment can be read by whatever it watches.
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    if (child.pid !== undefined) return new GroupWatcher(child);
    // The reason comes as an event, later; without open files there are not even pipes.
    child.on('error', () => {});
    throw new Error('no process can be started');
  }

  /** From now on the group ends with this process. */
  watch(group: number): void {
    this.#child.stdin.write(`${group}\n`);
  }

  /** The group is over, and its number may be a stranger's. Resolves when the watcher is gone. */
  async end(): Promise<void> {
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#over;
  }
}
