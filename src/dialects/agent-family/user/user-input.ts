// Owns where a user's response comes from: the port, and the terminal (D25).
import { TroupeError } from '../../../base/failures.ts';
import type { ContentBlock } from '../base/msg.ts';
import { readLine } from './line-reader.ts';

/** Which agent the user is asked to respond for. */
export type InputRequest = {
  /** Its id and name. */
  readonly agent: { readonly id: string; readonly name: string };
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
};

/** The response of a user. */
export type UserResponse = {
  /** A text, or blocks. */
  readonly content: string | readonly ContentBlock[];
  /** Goes into the metadata of the message. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A source of a user's responses. */
export interface UserInput {
  /** Resolves with the next response. What it rejects with rejects the reply. */
  read(request: InputRequest): Promise<UserResponse>;
}

export type TerminalStreams = {
  /** Default: the process's own. */
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
};

/** The current reader of a stream precedes the next one, whichever source either has. */
const turns = new WeakMap<NodeJS.ReadableStream, Promise<unknown>>();

/**
 * Reads one line, after a prompt with the agent's name; the lines after it wait in the input. One agent at a time. Rejects
 * `question_unanswered` when the input has ended.
 */
export class TerminalInput implements UserInput {
  readonly #streams: Required<TerminalStreams>;

  constructor({ input = process.stdin, output = process.stdout }: TerminalStreams = {}) {
    this.#streams = { input, output };
  }

  async read(request: InputRequest): Promise<UserResponse> {
    const { input } = this.#streams;
    const reading = (turns.get(input) ?? Promise.resolve()).then(() => this.#ask(request));
    // What becomes of one question is nothing to the next.
    turns.set(
      input,
      reading.catch(() => {}),
    );
    return reading;
  }

  async #ask({ agent, signal }: InputRequest): Promise<UserResponse> {
    signal.throwIfAborted();
    const { input, output } = this.#streams;
    output.write(`${agent.name}: `);
    const content = await readLine(input, signal);
    if (content !== null) return { content };
    throw new TroupeError('question_unanswered', `nobody answered for ${agent.name}`);
  }
}
