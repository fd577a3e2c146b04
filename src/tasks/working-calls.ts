// Owns which silent calls keep a run from being idle: those that have a limit of their own, and those whose code works (V8). Pure.
import type { RunPhase } from '../base/outcome.ts';
import { selfTimedTag } from '../tools/tags.ts';
import type { Run } from './state.ts';

/** Idle periods that a call may work without a sign when nothing else limits it: an hour by default. */
const maxWorkingPeriods = 6;

export type OpenCall = {
  readonly callId: string;
  readonly name: string;
  readonly where: 'thread' | 'host';
  /** The tool sets how long a call of it may take: the call is over then, and not before. */
  readonly isSelfTimed: boolean;
};

export function openCallsOf({ record, spec }: Run): readonly OpenCall[] {
  return [...record.openCalls].map(([callId, { name, where }]) => {
    const tool = spec.shared.tools.find((each) => each.name === name);
    const isSelfTimed = tool?.timeoutMs !== undefined || tool?.tags.includes(selfTimedTag) === true;
    return { callId, name, where, isSelfTimed };
  });
}

/** How long the calls of a run have worked without a sign of activity. */
export class SilentWork {
  readonly #limitMs: number;
  #calls = '';
  #periods = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Of the period that is over, and of those before it that the same calls worked through. */
  get silentMs(): number {
    return Math.max(this.#periods, 1) * this.#limitMs;
  }

  /**
   * A period is over in silence. Returns the tools whose calls work in the thread and go on; none when the run is
   * idle. With a limit on the run or on its tools that one decides, without any the periods are counted.
   */
  goesOn(found: {
    readonly phase: RunPhase;
    readonly calls: readonly OpenCall[];
    readonly isLimited: boolean;
  }): readonly string[] {
    const calls = found.calls.filter(({ where }) => where === 'thread');
    const ids = calls.map(({ callId }) => callId).join(' ');
    this.#periods = ids === this.#calls ? this.#periods + 1 : 1;
    this.#calls = ids;
    if (found.phase !== 'spinning') return [];
    return found.isLimited || this.#periods < maxWorkingPeriods
      ? calls.map(({ name }) => name)
      : [];
  }

  /** The text of the warning for the program's operator. */
  warning(tools: readonly string[]): string {
    const named = tools.map((name) => `"${name}"`).join(', ');
    return `${named} has said nothing for ${this.silentMs} ms, and its thread works: the run goes on (a heartbeat() says so, a timeoutMs ends it)`;
  }
}
