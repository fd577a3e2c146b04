// Owns what the host does for the calls of one run until it is done: tools, waits of thread tools, approvals, hooks. One way to
// end each, one count of what waits.
import type { TroupeError } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';
import { withAbort } from '../base/with-abort.ts';
import type { HookName } from '../protocol/hooks.ts';
import type { RunTimers } from './run-timers.ts';

/** `wait`: a tool in the thread waits for what the supervisor ends. */
type Kind = 'tool' | 'wait' | 'approval' | 'hook';

export type CallFacts =
  | { readonly kind: Exclude<Kind, 'hook'>; readonly id: string }
  | {
      readonly kind: 'hook';
      readonly id: string;
      readonly name: HookName;
      /** The tool call that it is around; null for a hook around the run or a turn. */
      readonly callId: string | null;
    };

/** Something that is done for a call, or for a hook. */
export class OpenCall {
  readonly kind: Kind;
  readonly id: string;
  /** The tool call that it is done for; null of a hook around the run or a turn. */
  readonly callId: string | null;
  readonly hook: HookName | null;
  readonly abort = openController();
  /** Number of its waits for what the supervisor ends (children, answers), and how many of those are for children. */
  waits = 0;
  children = 0;
  isOver = false;

  constructor(facts: CallFacts) {
    this.kind = facts.kind;
    this.id = facts.id;
    this.callId = facts.kind === 'hook' ? facts.callId : facts.id;
    this.hook = facts.kind === 'hook' ? facts.name : null;
  }

  /** Its run needs no thread for it: it leaves an answer (W1). Hooks after the run are the end of an activation. */
  get isOutside(): boolean {
    return this.kind !== 'wait' && this.hook !== 'afterRun';
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
    facts: CallFacts,
    until: AbortSignal,
    work: (call: OpenCall) => Promise<Value>,
  ): Promise<Value> {
    const call = new OpenCall(facts);
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

  /** True while something is done for the call, or with null for the run itself, that the run needs no thread for. */
  isOutside(callId: string | null): boolean {
    for (const call of this.#calls) if (call.callId === callId && call.isOutside) return true;
    return false;
  }

  /** True while a hook after the call's tool is open. */
  isAfterTool(callId: string): boolean {
    for (const call of this.#calls) {
      if (call.callId === callId && call.hook === 'afterTool') return true;
    }
    return false;
  }

  /** True while something of this kind is done. */
  has(kind: Kind): boolean {
    for (const call of this.#calls) if (call.kind === kind) return true;
    return false;
  }

  /** True while a call waits for an answer: of a person, of its parent. */
  get isSuspended(): boolean {
    for (const { waits, children } of this.#calls) if (waits > children) return true;
    return false;
  }

  /** True while a call waits for children. */
  get areChildrenDue(): boolean {
    for (const { children } of this.#calls) if (children > 0) return true;
    return false;
  }

  /** What is done outside of its thread for a tool call is given up. False when nothing is. */
  abortOutside(callId: string, reason: TroupeError): boolean {
    return this.#end((call) => call.callId === callId && call.isOutside, reason);
  }

  /** What is done for a tool call is given up, but for the hooks around it. */
  abort(id: string, reason: TroupeError): void {
    this.#end((call) => call.kind !== 'hook' && call.id === id, reason);
  }

  abortHook(id: string, reason: TroupeError): void {
    this.#end((call) => call.kind === 'hook' && call.id === id, reason);
  }

  #end(isIt: (call: OpenCall) => boolean, reason: TroupeError): boolean {
    const ended = [...this.#calls].filter(isIt);
    for (const call of ended) call.abort.abort(reason);
    return ended.length > 0;
  }
}
