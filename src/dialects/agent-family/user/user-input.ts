// Owns where a user's words come from: the port, and the terminal (D25).
import { createInterface } from 'node:readline/promises';
import { TroupeError } from '../../../errors.ts';
import type { ContentBlock } from '../base/msg.ts';

/** Who is asked for words. */
export type InputRequest = {
  readonly agent: { readonly id: string; readonly name: string };
  /** Aborted when nobody waits for them any more. */
  readonly signal: AbortSignal;
};

/** What a user said. */
export type UserWords = {
  readonly content: string | readonly ContentBlock[];
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A source of a user's words. */
export interface UserInput {
  read(request: InputRequest): Promise<UserWords>;
}

export type TerminalStreams = {
  /** Default: the process's own. */
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
};

/** Reads one line, after a prompt with the agent's name. Rejects `question_unanswered` when the input has ended. */
export class TerminalInput implements UserInput {
  readonly #streams: Required<TerminalStreams>;

  constructor({ input = process.stdin, output = process.stdout }: TerminalStreams = {}) {
    this.#streams = { input, output };
  }

  async read({ agent, signal }: InputRequest): Promise<UserWords> {
    const lines = createInterface(this.#streams);
    const ended = new Promise<never>((_, reject) => {
      lines.once('close', () =>
        reject(new TroupeError('question_unanswered', `nobody answered for ${agent.name}`)),
      );
    });
    try {
      return {
        content: await Promise.race([lines.question(`${agent.name}: `, { signal }), ended]),
      };
    } finally {
      lines.close();
    }
  }
}
