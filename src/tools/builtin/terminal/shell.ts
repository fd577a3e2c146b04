// Owns one running shell: its start, one command at a time, its end with everything it started.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import { describe, TroupeError } from '../../../base/failures.ts';
import { whenAborted } from '../../../base/when-aborted.ts';
import { type GroupLeader, type ProcessGroup, startGroup } from '../../processes/process-group.ts';
import { scriptOf } from './command-script.ts';
import { KeptOutput } from './kept-output.ts';
import { launchOf } from './launcher.ts';
import { MarkedStream } from './marked-stream.ts';

export type ShellOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Between the signal that asks a group to end and the one that ends it. */
  readonly graceMs: number;
  /** Called with the reason why the system does not hide the service's environment from the shell. */
  readonly onExposed: (reason: string) => void;
};

/** How a command came to its end: by itself, or with its shell. */
export type CommandEnd =
  | { readonly type: 'exited'; readonly status: number }
  | { readonly type: 'shell_exited'; readonly status: string }
  | { readonly type: 'timed_out' }
  | { readonly type: 'flooded' };

export type CommandResult = { readonly text: string; readonly end: CommandEnd };

type Running = {
  readonly token: string;
  readonly onOutput: () => void;
  settle(end: CommandEnd): void;
  fail(reason: unknown): void;
};

const shells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/sh'];
const maxOutputBytes = 67_108_864;
const drainMs = 1_000;

/** A shell without a terminal, in a process group of its own. A command's output and errors come as one text. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #child: GroupLeader;
  readonly #kind: 'bash' | 'sh';
  readonly #group: ProcessGroup;
  readonly #output = new KeptOutput();
  readonly #stream = new MarkedStream();
  #running: Running | null = null;
  #isOver = false;

  private constructor(
    options: ShellOptions,
    {
      child,
      group,
      kind,
    }: {
      readonly child: GroupLeader;
      readonly group: ProcessGroup;
      readonly kind: 'bash' | 'sh';
    },
  ) {
    this.#options = options;
    this.#child = child;
    this.#kind = kind;
    this.#group = group;
    child.stdout.on('data', (chunk: Buffer) => this.#received(chunk));
    // Only the launcher writes there: the shell's own errors go nowhere, those of its commands to its output.
    child.stderr.once('data', (chunk: Buffer) => options.onExposed(chunk.toString().trim()));
    // A shell that is gone breaks its pipe: the exit event reports it.
    child.stdin.on('error', () => {});
    child.on('error', () => {});
    child.once('exit', (code, signal) => this.#exited(signal ?? `exit code ${code ?? 0}`));
    // An idle shell does not keep the process alive; a call that waits for a command does.
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) {
      if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
    }
    // Kept aside, so that a command that redirects its shell's output does not hide its own end.
    child.stdin.write('exec 3>&1\n');
  }

  /** Starts one. Throws `terminal_failed` when there is no shell, or no folder to start it in. */
  static start(options: ShellOptions): Shell {
    const file = shells.find((path) => existsSync(path));
    if (file === undefined) {
      throw new TroupeError('terminal_failed', `there is no shell here: ${shells.join(', ')}`);
    }
    if (!existsSync(options.cwd)) {
      throw new TroupeError('terminal_failed', `the folder ${describe(options.cwd)} is not there`);
    }
    const kind = file.endsWith('bash') ? 'bash' : 'sh';
    const launch = launchOf({ file, args: kind === 'bash' ? ['--noprofile', '--norc'] : [] });
    const { cwd, env } = options;
    const failed = () =>
      new TroupeError('terminal_failed', `${file} could not be started`, { retryable: true });
    let started: ReturnType<typeof startGroup>;
    try {
      started = startGroup({ ...launch, cwd, env }, options);
    } catch {
      throw failed();
    }
    const { leader: child, group } = started;
    if (group !== null) return new Shell(options, { child, group, kind });
    // The reason comes as an event, later; no code waits for it.
    child.on('error', () => {});
    throw failed();
  }

  /** True once it takes no further command. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Runs a command; the caller waits for one before the next. Rejects with the signal's reason, its shell ended. */
  run(
    command: string,
    call: {
      readonly signal: AbortSignal;
      readonly timeoutMs: number;
      readonly onOutput: () => void;
    },
  ): Promise<CommandResult> {
    const { signal, timeoutMs, onOutput } = call;
    const token = randomUUID();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#running?.fail(signal.reason);
        void this.close({ force: false });
      };
      const cancelTimeout = this.#options.clock.after(timeoutMs, () => this.#giveUp('timed_out'));
      const done = (): void => {
        cancelTimeout();
        stop();
        this.#running = null;
      };
      this.#running = {
        token,
        onOutput,
        settle: (end) => {
          done();
          resolve({ text: this.#output.take(), end });
        },
        fail: (reason) => {
          done();
          reject(reason);
        },
      };
      const stop = whenAborted(signal, onAbort);
      // What ran in the background meanwhile may have printed already; it comes first.
      this.#child.stdin.write(scriptOf(command, token, this.#kind));
      this.#received(this.#stream.flush());
    });
  }

  /** Ends the shell and everything in its group; resolves when nothing of it is left. */
  close({ force }: { readonly force: boolean }): Promise<void> {
    this.#isOver = true;
    const over = force ? this.#group.kill() : this.#group.end();
    return over.then(() => {
      const { stdin, stdout, stderr } = this.#child;
      for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
    });
  }

  #received(chunk: Buffer): void {
    const { output, status } = this.#stream.push(chunk, this.#running?.token ?? null);
    if (output.length > 0) {
      this.#output.push(output);
      this.#running?.onOutput();
    }
    if (status !== null) this.#running?.settle({ type: 'exited', status });
    // Reading on only to throw it away would cost the service its time.
    else if (this.#output.total > maxOutputBytes) this.#giveUp('flooded');
  }

  #giveUp(type: 'timed_out' | 'flooded'): void {
    this.#running?.settle({ type });
    void this.close({ force: false });
  }

  #exited(status: string): void {
    this.#isOver = true;
    const { stdout } = this.#child;
    let isDone = false;
    const finish = (): void => {
      if (isDone) return;
      isDone = true;
      cancel();
      this.#output.push(this.#stream.flush());
      this.#running?.settle({ type: 'shell_exited', status });
      stdout.destroy();
    };
    // Its last output is still in the pipe; a process that left the group may keep that open for ever.
    const cancel = this.#options.clock.after(drainMs, finish);
    stdout.once('close', finish);
    if (stdout.closed) finish();
  }
}
