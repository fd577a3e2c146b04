// Owns an agent's shell session: commands one after another, a new shell when the last one ended.
import { TroupeError } from '../../../base/failures.ts';
import { type CommandResult, Shell, type ShellOptions } from './shell.ts';

export type Command = {
  readonly command: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: () => void;
};

export class ShellSession {
  readonly #options: ShellOptions;
  readonly #closing = new Set<Promise<void>>();
  readonly #shells = new Set<Shell>();
  #shell: Shell | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  /** Runs a command when those before it are done; its time counts from then. */
  run(command: Command): Promise<CommandResult> {
    const result = this.#last.then(() => this.#run(command));
    // The next one waits for this one's end, not for its success.
    this.#last = result.catch(() => {});
    return result;
  }

  /** Runs a command in a shell of its own that starts in the workspace, beside all others; it ends with the session. */
  async aside({ command, ...call }: Command): Promise<CommandResult> {
    if (this.#isClosed)
      throw new TroupeError('activation_ended', 'the agent of this shell has ended');
    const shell = Shell.start(this.#options);
    this.#shells.add(shell);
    try {
      return await shell.run(command, call);
    } finally {
      this.#end(shell, false);
    }
  }

  /** Ends the shell; the next command gets a new one in the workspace. */
  restart(): void {
    if (this.#shell !== null) this.#end(this.#shell, false);
    this.#shell = null;
  }

  /** Ends everything that was started; resolves when it is gone. */
  async close({ force }: { readonly force: boolean }): Promise<void> {
    this.#isClosed = true;
    for (const shell of this.#shells) this.#end(shell, force);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #run({ command, ...call }: Command): Promise<CommandResult> {
    call.signal.throwIfAborted();
    if (this.#isClosed)
      throw new TroupeError('activation_ended', 'the agent of this shell has ended');
    return this.#open().run(command, call);
  }

  #open(): Shell {
    if (this.#shell !== null && !this.#shell.isOver) return this.#shell;
    // The rest of a group whose shell ended by itself is ended too.
    this.restart();
    this.#shell = Shell.start(this.#options);
    this.#shells.add(this.#shell);
    return this.#shell;
  }

  #end(shell: Shell, force: boolean): void {
    const closing = shell.close({ force }).then(() => {
      this.#closing.delete(closing);
      this.#shells.delete(shell);
    });
    this.#closing.add(closing);
  }
}
