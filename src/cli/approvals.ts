// Owns the command's answers to tools that need approval: by its options, else by a person, else a denial that says what to do.
import { type ApprovalAnswer, type ApprovalRequest, toolMatcher } from '../index.ts';
import type { ApproveOption } from './approval-options.ts';

/** Where a person is asked. */
export interface Asking {
  /** Resolves with the answer; with a denial once the request's signal has aborted. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>;
}

export class Approvals {
  readonly #isAllowed: (request: ApprovalRequest) => boolean;
  readonly #option: ApproveOption;
  readonly #say: (message: string) => void;
  readonly #warned = new Set<string>();
  #asking: Asking | null = null;

  /** `say` is told of each tool that is denied for want of a person, once. */
  constructor(option: ApproveOption, say: (message: string) => void) {
    const matches = option.type === 'patterns' ? toolMatcher(option.patterns) : () => false;
    this.#isAllowed = ({ tool, tags }) => option.type === 'all' || matches({ name: tool, tags });
    this.#option = option;
    this.#say = say;
  }

  /** From now on a person can be asked there; null: no more. */
  askAt(asking: Asking | null): void {
    this.#asking = asking;
  }

  readonly answer = (request: ApprovalRequest): ApprovalAnswer | Promise<ApprovalAnswer> => {
    if (this.#isAllowed(request)) return true;
    if (this.#option.type === 'none') return { deny: 'nothing is approved here' };
    if (this.#asking !== null) return this.#asking.ask(request);
    const { tool } = request;
    if (!this.#warned.has(tool)) {
      this.#warned.add(tool);
      this.#say(
        `${tool} needs approval and was denied: allow it by --approve ${tool}, or run the job in the live view of a terminal to be asked`,
      );
    }
    return { deny: 'there is no one to ask here' };
  };
}
