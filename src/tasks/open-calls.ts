// Owns what the host does for the calls of one run until it is done: tools, waits of thread tools, approvals, hooks. One way to
// end each, one count of what waits.
import type { TroupeError } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';
import { withAbort } from '../base/with-abort.ts';
import type { RunTimers } from './run-timers.ts';

/** `wait`: a tool in the thread waits for what the supervisor ends. */
type Kind = 'tool' | 'wait' | 'approval' | 'hook';

/** Something that is done for a call, or for a hook. */
export class OpenCall {
  readonly kind: Kind;
  readonly id: string;
  readonly abort = openController();
  /** Number of its waits for what the supervisor ends (children, answers), and how many of those are for children. */
  waits = 0;
  children = 0;
  isOver = false;

  constructor(kind: Kind, id: string) {
    this.kind = kind;
    this.id = id;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }
}

export class OpenCalls {
  readonly #timers: RunTimers;
  /** A model may give two calls one id. Made with the first: most runs have none on the host. */
  #open: Set<OpenCall> | null = null;

  constructor(timers: RunTimers) {
    this.#timers = timers;
  }

  /** Does `work` for a call, whose signal aborts with `until` and with `abort`. */
  async during<Value>(
    { kind, id, until }: { readonly kind: Kind; readonly id: string; readonly until: AbortSignal },
    work: (call: OpenCall) => Promise<Value>,
  ): Promise<Value> {
    const call = new OpenCall(kind, id);
    const onAbort = ({ reason }: AbortSignal): void => call.abort.abort(reason);
    this.#open ??= new Set();
    this.#open.add(call);
    try {
      return await withAbort(until, onAbort, () => work(call));
    } finally {
      call.isOver = true;
      this.#open.delete(call);
    }
  }

  /** Counts a call as waiting for what the supervisor ends while `work` runs: a timer that counts only work is paused. */
  async waiting<Value>(
    call: OpenCall,
    work: Promise<Value>,
    what: 'children' | 'answer' = 'answer',
  ): Promise<Value> {
    const children = what === 'children' ? 1 : 0;
    call.waits += 1;
    call.children += children;
    const end = this.#timers.beginWait(call.id);
    try {
      return await work;
    } finally {
      end();
      call.waits -= 1;
      call.children -= children;
    }
  }

  get #calls(): Iterable<OpenCall> {
    return this.#open ?? [];
  }

  /** True while something of this kind is done for the call. */
  isOpen(kind: Kind, id: string): boolean {
    for (const call of this.#calls) if (call.kind === kind && call.id === id) return true;
    return false;
  }

  /** True while a call waits for what the supervisor ends. */
  isWaiting(id: string): boolean {
    for (const call of this.#calls) if (call.id === id && call.waits > 0) return true;
    return false;
  }

  /** True while a tool runs on the host. */
  get hasTools(): boolean {
    for (const { kind } of this.#calls) if (kind === 'tool') return true;
    return false;
  }

  /** True while a call waits for children. */
  get areChildrenDue(): boolean {
    for (const { children } of this.#calls) if (children > 0) return true;
    return false;
  }

  /** What is done for a call, or a hook, is given up. */
  abort(id: string, reason: TroupeError): void {
    for (const call of [...this.#calls]) if (call.id === id) call.abort.abort(reason);
  }
}
