// Owns an agent's commands in the background: which run, how each ended, and who receives the result (C36).
import { TroupeError, toFailure } from '../../../base/failures.ts';
import { PendingResults } from '../../../base/pending-results.ts';
import { unlessAborted } from '../../../base/with-abort.ts';
import type { ShellSession } from './session.ts';
import type { CommandResult } from './shell.ts';

/** Commands that one agent may have in the background at a time. */
const maxCommands = 8;
/** Characters of the output that a notice repeats: those at the end, which matter most. */
const maxChars = 4_000;

type BackgroundCommand = {
  readonly id: string;
  readonly command: string;
  readonly ended: Promise<string>;
  readonly notify: StartOptions['notify'];
  /** Called for output while a call waits. */
  onOutput: () => void;
};

export type StartOptions = {
  readonly command: string;
  readonly timeoutMs: number;
  readonly textOf: (result: CommandResult) => string;
  /** Notifies the agent of a result that no call waited for. */
  readonly notify: (text: string) => Promise<unknown>;
};

export class BackgroundCommands {
  readonly #session: ShellSession;
  readonly #commands = new PendingResults<BackgroundCommand, string>((text, command) => {
    void command.notify(noticeOf(command, text));
    // The notice has the result: it is kept no longer.
    this.#commands.acknowledge(command.id);
    return null;
  });
  #last = 0;

  constructor(session: ShellSession) {
    this.#session = session;
  }

  /** Starts a command and answers with its id. Throws `terminal_failed` beyond eight. */
  start({ command, timeoutMs, textOf, notify }: StartOptions): string {
    if (this.#commands.running().length >= maxCommands) {
      const why = `${maxCommands} commands run in the background already: ${this.#list()}`;
      throw new TroupeError('terminal_failed', why);
    }
    this.#last += 1;
    const id = `b${this.#last}`;
    const onOutput = (): void => running.onOutput();
    const { signal } = new AbortController();
    const result = this.#session.aside({ command, timeoutMs, signal, onOutput });
    const ended = result.then(textOf, (error: unknown) => {
      return `[${toFailure(error, 'terminal_failed').message}]`;
    });
    const running: BackgroundCommand = { id, command, ended, notify, onOutput: () => {} };
    this.#commands.add(id, running);
    void ended.then((text) => this.#commands.end(id, text));
    return id;
  }

  /**
   * Resolves with a command's output, or with null when `overdue` is first: the command runs on then. Rejects
   * `terminal_failed` for an id that does not run, and with the signal's reason.
   */
  async wait(
    id: string,
    call: {
      readonly overdue: Promise<null>;
      readonly signal: AbortSignal;
      readonly onOutput: () => void;
    },
  ): Promise<string | null> {
    const running = this.#commands.find(id);
    if (running === null) {
      const why = `no command ${id} runs in the background; there runs: ${this.#list()}`;
      throw new TroupeError('terminal_failed', why);
    }
    call.signal.throwIfAborted();
    running.onOutput = call.onOutput;
    const until = Promise.race([running.ended, call.overdue]);
    return this.#commands.wait(id, unlessAborted(call.signal, until));
  }

  #list(): string {
    const rows = this.#commands.running().map(({ id, command }) => `${id} (${short(command)})`);
    return rows.join(', ') || 'none';
  }
}

function noticeOf({ id, command }: BackgroundCommand, text: string): string {
  const shown = text.length <= maxChars ? text : `[cut] …${text.slice(-maxChars)}`;
  return `[Background command ${id} ended]\n$ ${short(command)}\n\n${shown || '(no output)'}`;
}

function short(command: string): string {
  return command.length <= 200 ? command : `${command.slice(0, 199)}…`;
}
