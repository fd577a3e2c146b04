// Owns the tool calls of one run as its record has them: those that are open, and what became of the others.
import type { ToolTrace } from '../../base/outcome.ts';
import { roundedMs } from '../../base/rounded-ms.ts';
import { maskShapes } from '../../base/secret-text.ts';
import type { RunEvent } from '../../protocol/run-events.ts';

/** Calls of an ended run that its outcome names. */
const maxTraced = 20;

/** An open tool call. */
export type OpenCall = {
  readonly name: string;
  readonly where: 'thread' | 'host';
  readonly startedAt: number | undefined;
};

export class TracedCalls {
  readonly #trace: ToolTrace[] = [];
  readonly #open = new Map<string, OpenCall>();
  #lastInThread: string | null = null;

  get open(): ReadonlyMap<string, OpenCall> {
    return this.#open;
  }

  get all(): readonly ToolTrace[] {
    return this.#trace;
  }

  /** The last ones, for the outcome. */
  get last(): readonly ToolTrace[] {
    return this.#trace.slice(-maxTraced);
  }

  /** The tool that began last of those that are open; null when there is none. */
  get current(): string | null {
    return [...this.#open.values()].at(-1)?.name ?? null;
  }

  /** The tool that last ran in the thread; null before any did. */
  get lastInThread(): string | null {
    return this.#lastInThread;
  }

  /** How long a call took; undefined for one that is open, or never began. */
  durationOf(callId: string): number | undefined {
    return this.#trace.findLast((each) => each.callId === callId)?.durationMs;
  }

  begin(
    { callId, name: given, turn, where }: Extract<RunEvent, { type: 'tool_started' }>,
    startedAt: number | undefined,
  ): void {
    // A model may write anything for a name, a key that it has read included.
    const name = maskShapes(given);
    this.#open.set(callId, { name, where, startedAt });
    this.#trace.push({ callId, name, turn, status: 'running' });
    if (where === 'thread') this.#lastInThread = name;
  }

  complete(
    { callId, name: given, isError }: Extract<RunEvent, { type: 'tool_completed' }>,
    { turn, now }: { readonly turn: number; readonly now: number | undefined },
  ): void {
    const startedAt = this.#open.get(callId)?.startedAt;
    this.#open.delete(callId);
    const status = isError ? 'failed' : 'completed';
    const at = this.#trace.findIndex((each) => each.callId === callId);
    const known = this.#trace[at];
    if (known === undefined) {
      this.#trace.push({ callId, name: maskShapes(given), turn, status });
      return;
    }
    const { name, turn: begunIn } = known;
    const isTimed = now !== undefined && startedAt !== undefined;
    this.#trace[at] = isTimed
      ? { callId, name, turn: begunIn, status, durationMs: roundedMs(now - startedAt) }
      : { callId, name, turn: begunIn, status };
  }
}
