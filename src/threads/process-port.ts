// Owns a process with one thread for a slot: its start, the pipe to it, its end. Seen from the slot it is a thread that is
// further away.
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { maskShapes } from '../base/secret-text.ts';
import { signalGroup } from '../base/signal-group.ts';
import { whenAborted } from '../base/when-aborted.ts';
import { FrameReader, frameOf } from '../protocol/frames.ts';
import { parseFromProcess } from '../protocol/process-message-schema.ts';
import type {
  FromProcess,
  ProcessJob,
  ThreadProgress,
  ToProcess,
} from '../protocol/process-messages.ts';
import { sharedFlags } from '../protocol/shared-flags.ts';
import type { ToThread } from '../protocol/worker-messages.ts';
import type { ServingThread, SlotPort, SlotPortEvents } from './slot-port.ts';

/** No message of a process comes near it; more would be held here before it could be judged. */
const maxFrameBytes = 64 * 2 ** 20;
/** What is kept of what the process itself prints, as V8 does when it gives up. */
const maxLastWords = 4_000;
/** So often it is looked whether the output of this process is read again. */
const drainedMs = 50;
/** How long its last words may be on their way once it has exited. */
const lastWordsMs = 300;

/** Throws when no process can be started. */
export function startProcess(
  args: readonly string[],
  where: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
): ChildProcess {
  const child = spawn(process.execPath, args, {
    ...where,
    // A group of its own, which ends as a whole.
    detached: true,
    // The last two lead there and back: one that died is not written to, and what it sent is read all the same.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  // Without open files there are not even pipes, and the reason comes as an event, later.
  if (child.stdio !== undefined) return child;
  child.on('error', () => {});
  throw new TroupeError('spawn_failed', 'no process can be started: too many files are open');
}

export class ProcessPort extends EventEmitter implements SlotPort, ServingThread {
  /** How busy its loop is cannot be seen from here: it counts as one that works. */
  readonly performance = {
    eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 1 }),
  };
  /** Rejects when the process is gone, with `spawn_failed`: what becomes of one whose thread serves is an event. */
  readonly over: Promise<never>;
  readonly #process: ChildProcess;
  readonly #toProcess: Duplex;
  readonly #reader = new FrameReader(maxFrameBytes);
  readonly #flags: Int32Array<SharedArrayBuffer>;
  readonly #needed: Int32Array;
  readonly #events: SlotPortEvents;
  #gateway: MessagePort | null = null;
  #taken = 0;
  #sentNeed = 0;
  #failure: Failure | null = null;
  #exitCode: number | null = null;
  #lastWords = '';
  #isClosed = false;
  #isKilled = false;

  constructor(
    child: ChildProcess,
    job: ProcessJob,
    shared: { readonly flags: Int32Array<SharedArrayBuffer>; readonly needed: Int32Array },
    events: SlotPortEvents,
    signal: AbortSignal,
  ) {
    super();
    this.#flags = shared.flags;
    this.#needed = shared.needed;
    this.#events = events;
    this.#process = child;
    this.#toProcess = child.stdio[3] as Duplex;
    this.#listen(child);
    this.over = new Promise((_, reject) => this.#whenOver(child, reject));
    this.over.catch(() => {});
    whenAborted(signal, () => this.#kill());
    this.#send(job);
    this.needChanged();
  }

  get isBehind(): boolean {
    return this.#exitCode === null;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  post(message: ToThread): void {
    this.#send({ type: 'slot', message });
  }

  /** How many runs wait for a thread of the pool may have changed. */
  needChanged(): void {
    const needed = Atomics.load(this.#needed, 0);
    if (needed === this.#sentNeed) return;
    this.#sentNeed = needed;
    this.#send({ type: 'needed', needed });
  }

  sendGateway(port: MessagePort): void {
    const before = this.#gateway;
    this.#gateway = port;
    before?.close();
    port.on('message', (message: unknown) => this.#send({ type: 'gateway', message }));
    // The gateway's thread is lost: what the thread has asked it is not answered.
    port.on('close', () => {
      if (this.#gateway === port) this.#send({ type: 'gateway_closed' });
    });
    port.unref();
    this.#send({ type: 'gateway_opened' });
  }

  /** All that came was handed on before the end was. */
  readRest(): void {}

  close(): void {
    this.#isClosed = true;
    this.#gateway?.close();
    this.#kill();
  }

  #listen(child: ChildProcess): void {
    const [, stdout, stderr, , fromProcess] = child.stdio;
    for (const each of [child, ...child.stdio]) unref(each);
    // Its exit says what has become of it.
    for (const stream of child.stdio) stream?.on('error', () => {});
    (fromProcess as Readable).on('data', (chunk: Buffer) => this.#read(chunk));
    (stdout as Readable).on('data', (chunk: Buffer) => process.stdout.write(chunk));
    (stderr as Readable).on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString('utf8')).slice(-maxLastWords);
    });
  }

  /** Once it has exited and all that it sent was read. */
  #whenOver(child: ChildProcess, reject: (error: unknown) => void): void {
    const over = (error: Failure): void => {
      this.#gateway?.close();
      reject(TroupeError.from(error));
    };
    child.once('error', (error) => over(toFailure(error, 'spawn_failed')));
    let isOver = false;
    const end = (code: number | null, signal: string | null): void => {
      if (isOver) return;
      isOver = true;
      const isExpected = this.#isKilled || this.#exitCode !== null;
      const cause = this.#failure ?? (isExpected ? null : causeOf(signal, this.#lastWords));
      if (cause !== null && this.listenerCount('error') > 0) {
        this.emit('error', TroupeError.from(cause));
      }
      this.emit('exit', this.#exitCode ?? code ?? 1);
      over(notStarted(cause?.message ?? `it exited with code ${code}`, this.#lastWords));
    };
    child.once('exit', (code, signal) => {
      // What its tools have started ends with it, whatever ended it.
      if (this.pid !== undefined) signalGroup(this.pid, 'SIGKILL');
      // What has left its group may hold its output open.
      // A loop that was late reads first.
      const cancel = systemClock.after(lastWordsMs, () => setImmediate(end, code, signal));
      child.once('close', () => {
        cancel();
        end(code, signal);
      });
    });
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    try {
      for (const message of this.#reader.push(chunk)) this.#receive(parseFromProcess(message));
    } catch (error) {
      this.#events.unreadable(TroupeError.from(toFailure(error, 'protocol_violation')));
    }
  }

  #receive(message: FromProcess): void {
    switch (message.type) {
      case 'slot':
        this.#keep(message.progress);
        this.#events.message(ofThisProcess(message.message, this.pid));
        this.#reportTaken();
        break;
      case 'progress':
        this.#keep(message.progress);
        break;
      case 'gateway':
        this.#gateway?.postMessage(message.message);
        break;
      case 'printed':
        this.#print(message);
        break;
      case 'failed':
        this.#failure ??= message.failure;
        break;
      case 'exited':
        this.#keep(message.progress);
        this.#exitCode = message.code;
    }
  }

  /** Code that prints faster than its program is read from waits with it: here is no room for all that. */
  #print({ stream, text }: Extract<FromProcess, { readonly type: 'printed' }>): void {
    const output = process[stream];
    const whenTaken = (): void => {
      const isFull = output.writableNeedDrain && !this.#isClosed && this.isBehind;
      if (isFull) systemClock.after(drainedMs, whenTaken);
      else this.#send({ type: 'printed_on', length: text.length });
    };
    output.write(text);
    whenTaken();
  }

  /** What the thread has done for another activation than the one it has now is no progress of that. */
  #keep({ activation, startedSeq, doneSeq, heartbeats }: ThreadProgress): void {
    const flags = this.#flags;
    if (activation !== Atomics.load(flags, sharedFlags.activation)) return;
    Atomics.store(flags, sharedFlags.startedSeq, startedSeq);
    Atomics.store(flags, sharedFlags.doneSeq, doneSeq);
    Atomics.store(flags, sharedFlags.heartbeats, heartbeats);
  }

  /** The slot counts what it takes in a turn later. */
  #reportTaken(): void {
    setImmediate(() => {
      const taken = Atomics.load(this.#flags, sharedFlags.taken);
      if (taken === this.#taken) return;
      this.#taken = taken;
      this.#send({ type: 'taken', taken });
    });
  }

  #send(message: ToProcess): void {
    const frame = frameOf(message);
    if (this.#toProcess.writable) this.#toProcess.write(frame);
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#isKilled = true;
    signalGroup(pid, 'SIGKILL');
  }
}

/** Why it ended by a signal that was not ours; null for none. */
function causeOf(signal: string | null, lastWords: string): Failure | null {
  if (signal === null) return null;
  if (/out of memory/i.test(lastWords)) {
    return failure('out_of_memory', 'the process ran out of memory');
  }
  return failure('crashed', `the process was ended by ${signal}`, {
    detail: { signal, lastWords },
  });
}

/** Another one would fail in the same way. */
function notStarted(why: string, printed: string): Failure {
  const lastWords = maskShapes(printed);
  const [line = ''] = lastWords.match(/\S.*/) ?? [];
  const text = `a process ended before its thread served: ${why}`;
  const detail = { lastWords };
  return failure('spawn_failed', line === '' ? text : `${text}: ${line}`, { detail });
}

/** What names a thread of another process is the number of that, whatever it says itself. */
function ofThisProcess(message: unknown, pid: number | undefined): unknown {
  const isOnline = isRecord(message) && message['type'] === 'online';
  return isOnline ? { ...message, threadId: pid } : message;
}

function unref(one: unknown): void {
  (one as { unref?: () => void } | null)?.unref?.();
}
