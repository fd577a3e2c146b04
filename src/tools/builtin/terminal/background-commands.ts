// Owns an agent's commands in the background: which run, how each ended, and who hears of it (C36).
import { TroupeError, toFailure } from '../../../base/failures.ts';
import { whenAborted } from '../../../base/when-aborted.ts';
import type { ShellSession } from './session.ts';
import type { CommandResult } from './shell.ts';

/** Commands that one agent may have in the background at a time. */
const maxCommands = 8;
/** Of the output, what a notice repeats: the end says most. */
const maxChars = 4_000;

type BackgroundCommand = {
  readonly id: string;
  readonly command: string;
  readonly ended: Promise<string>;
  readonly notify: StartOptions['notify'];
  /** Told of output while somebody waits. */
  onOutput: () => void;
  waiting: number;
  /** What it said; null while it runs. */
  text: string | null;
  /** Somebody has its end, or is told of it. */
  isAwaited: boolean;
};

export type StartOptions = {
  readonly command: string;
  readonly timeoutMs: number;
  readonly textOf: (result: CommandResult) => string;
  /** Tells the agent of an end that nobody waited for. */
  readonly notify: (text: string) => Promise<unknown>;
};

export class BackgroundCommands {
  readonly #session: ShellSession;
  readonly #running = new Map<string, BackgroundCommand>();
  #last = 0;

  constructor(session: ShellSession) {
    this.#session = session;
  }

  /** Starts a command and answers with its id. Throws `terminal_failed` beyond eight. */
  start({ command, timeoutMs, textOf, notify }: StartOptions): string {
    if (this.#running.size >= maxCommands) {
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
    const state = { onOutput: () => {}, waiting: 0, text: null, isAwaited: false };
    const running: BackgroundCommand = { id, command, ended, notify, ...state };
    this.#running.set(id, running);
    void ended.then(async (text) => {
      running.text = text;
      this.#running.delete(id);
      await tellUnheard(running);
    });
    return id;
  }

  /**
   * Resolves with what a command said, or with null when `overdue` is first: it runs on then. Rejects `terminal_failed` for an
   * id that does not run, and with the signal's reason.
   */
  async wait(
    id: string,
    call: {
      readonly overdue: Promise<null>;
      readonly signal: AbortSignal;
      readonly onOutput: () => void;
    },
  ): Promise<string | null> {
    const running = this.#running.get(id);
    if (running === undefined) {
      const why = `no command ${id} runs in the background; there runs: ${this.#list()}`;
      throw new TroupeError('terminal_failed', why);
    }
    call.signal.throwIfAborted();
    let stop = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = whenAborted(call.signal, () => reject(call.signal.reason));
    });
    running.waiting += 1;
    running.onOutput = call.onOutput;
    try {
      const text = await Promise.race([running.ended, call.overdue, aborted]);
      running.isAwaited ||= text !== null;
      return text;
    } finally {
      running.waiting -= 1;
      stop();
      // Its end may have come while whoever waited for it gave up.
      await tellUnheard(running);
    }
  }

  #list(): string {
    const rows = [...this.#running.values()].map(({ id, command }) => `${id} (${short(command)})`);
    return rows.join(', ') || 'none';
  }
}

/** Tells of an end once, unless somebody waits for it or has it. */
async function tellUnheard(running: BackgroundCommand): Promise<void> {
  const { id, command, text, waiting, isAwaited, notify } = running;
  if (text === null || waiting > 0 || isAwaited) return;
  running.isAwaited = true;
  await notify(noticeOf({ id, command, text }));
}

function noticeOf({ id, command, text }: { id: string; command: string; text: string }): string {
  const shown = text.length <= maxChars ? text : `[cut] …${text.slice(-maxChars)}`;
  return `[Background command ${id} ended]\n$ ${short(command)}\n\n${shown || '(no output)'}`;
}

function short(command: string): string {
  return command.length <= 200 ? command : `${command.slice(0, 199)}…`;
}
