// Owns what activations start in this thread and Node's list of resources omits: unreferenced work, and threads.
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';

type Leftover = { readonly what: string; isThere(): boolean };

const fewest = 64;

/**
 * Follows what is started in this thread. What modules start while they are loaded belongs to no activation, for it serves all
 * that come; nor does what Node unreferences for its own ends.
 */
export class Leftovers {
  #all: Leftover[] = [];
  /** How many of each there were when the modules of this thread had loaded. */
  #expected: ReadonlyMap<string, number> = new Map();
  /** What has ended is forgotten whenever there is twice as much as was left the last time. */
  #maxKept = fewest;

  constructor() {
    subscribe('worker_threads', (message) => {
      const { worker } = message as { readonly worker: Worker };
      this.#follow('a worker thread', () => worker.threadId !== -1);
    });
    subscribe('child_process', (message) => {
      const { process: child } = message as { readonly process: ChildProcess };
      const { exitCode, signalCode } = child;
      const hasEnded = (): boolean =>
        child.exitCode !== exitCode || child.signalCode !== signalCode || child.pid === undefined;
      this.#follow('a child process', () => !hasEnded());
    });
    this.#followTimers();
    this.#followSleeps();
    this.#followImmediates();
    syncBuiltinESMExports();
  }

  /** Takes what is there now for the modules' own. */
  expectPresent(): void {
    this.#expected = this.#counts();
  }

  /** What there is more of than expected, by name. */
  find(): readonly string[] {
    const more = [...this.#counts()].filter(
      ([what, count]) => count > (this.#expected.get(what) ?? 0),
    );
    return more.map(([what]) => what);
  }

  #counts(): ReadonlyMap<string, number> {
    this.#forgetEnded();
    const counts = new Map<string, number>();
    for (const { what } of this.#all) counts.set(what, (counts.get(what) ?? 0) + 1);
    return counts;
  }

  #follow(what: string, isThere: () => boolean): void {
    if (this.#all.length >= this.#maxKept) this.#forgetEnded();
    this.#all.push({ what, isThere });
  }

  #forgetEnded(): void {
    this.#all = this.#all.filter((each) => each.isThere());
    this.#maxKept = Math.max(fewest, 2 * this.#all.length);
  }

  #followTimers(): void {
    const sample = setTimeout(() => {}, 0);
    clearTimeout(sample);
    const timers: Pick<NodeJS.Timeout, 'unref'> = Object.getPrototypeOf(sample);
    const { unref } = timers;
    const follow = (timer: NodeJS.Timeout): void => {
      if (isCalledByNode(followed)) return;
      // Node's own mark of a timer that fired or was cleared.
      const isOver = (): boolean => '_destroyed' in timer && timer._destroyed === true;
      this.#follow('an unreferenced timer', () => !isOver() && !timer.hasRef());
    };
    function followed(this: NodeJS.Timeout): NodeJS.Timeout {
      follow(this);
      return unref.call(this);
    }
    timers.unref = followed;
  }

  /** Timers of `node:timers/promises` start without a reference when the caller passes `ref: false`. */
  #followSleeps(): void {
    const { setTimeout: sleep, setInterval: beat } = promises;
    const follow = (): (() => void) => {
      let isThere = true;
      this.#follow('an unreferenced timer', () => isThere);
      return () => {
        isThere = false;
      };
    };
    promises.setTimeout = (delayMs, value, options) => {
      const slept = sleep(delayMs, value, options);
      if (options?.ref !== false) return slept;
      return slept.finally(follow());
    };
    promises.scheduler.wait = (delayMs, options) =>
      promises.setTimeout(delayMs, undefined, options);
    promises.setInterval = async function* beats(delayMs, value, options) {
      const forget = options?.ref === false ? follow() : null;
      try {
        for await (const each of beat(delayMs, value, options)) yield each;
      } finally {
        forget?.();
      }
    };
  }

  /** One that is there at the end of a run, turns after its last tool, was made by another: they go on for ever. */
  #followImmediates(): void {
    const { setImmediate: soon } = globalThis;
    const { setImmediate: turn } = promises;
    const follow = (immediate: NodeJS.Immediate): void => {
      if (isCalledByNode(followed)) return;
      // Node's own mark of one that ran or was cleared.
      const isThere = (): boolean => '_destroyed' in immediate && immediate._destroyed === false;
      this.#follow('an immediate', isThere);
    };
    const followed = (...given: Parameters<typeof soon>): NodeJS.Immediate => {
      const immediate = soon(...given);
      follow(immediate);
      return immediate;
    };
    promises.setImmediate = (value, options) => {
      let isThere = true;
      this.#follow('an immediate', () => isThere);
      return turn(value, options).finally(() => {
        isThere = false;
      });
    };
    promises.scheduler.yield = () => promises.setImmediate();
    globalThis.setImmediate = Object.assign(followed, {
      __promisify__: promises.setImmediate,
      [promisify.custom]: promises.setImmediate,
    });
    timers.setImmediate = globalThis.setImmediate;
  }
}

/** True when code of Node itself called `callee`: a time limit of a signal, the clock of idle connections. */
function isCalledByNode(callee: (...args: never) => unknown): boolean {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const traced: { stack?: readonly NodeJS.CallSite[] } = {};
  Error.stackTraceLimit = 1;
  Error.prepareStackTrace = (_error, sites) => sites;
  Error.captureStackTrace(traced, callee);
  const [caller] = traced.stack ?? [];
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return caller?.getFileName()?.startsWith('node:') === true;
}
