// Process entry: stands between a host and the one thread of its process, in which agents run. It answers while they spin, ends a
// process that has grown too large, and ends it with the host. Entry of that thread as well.
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import {
  isMainThread,
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { repeatedly } from '../src/base/clock.ts';
import { failure, toFailure } from '../src/base/failures.ts';
import { signalGroup } from '../src/base/signal-group.ts';
import { crashOf } from '../src/protocol/crash.ts';
import { FrameReader, frameOf } from '../src/protocol/frames.ts';
import { lookMs } from '../src/protocol/heap-look.ts';
import {
  type FromProcess,
  type ProcessJob,
  processRole,
  type ThreadProgress,
  type ToProcess,
} from '../src/protocol/process-messages.ts';
import { activationFlags, flagCount, sharedFlags } from '../src/protocol/shared-flags.ts';
import {
  type FromThread,
  largestBatch,
  type ToThread,
  type WorkerJob,
} from '../src/protocol/worker-messages.ts';

/** Where what leads to the host and comes from there is among the files of this process. */
const pipes = { fromHost: 3, toHost: 4 } as const;
const maxUnread = 2 ** 20;
const bytesPerMb = 2 ** 20;

class ProcessMain {
  readonly #fromHost = new Socket({ fd: pipes.fromHost });
  readonly #host = new Socket({ fd: pipes.toHost });
  readonly #reader = new FrameReader();
  readonly #flags = new Int32Array(new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT));
  readonly #needed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #port: MessagePort | null = null;
  #gateway: MessagePort | null = null;
  #printed: readonly Readable[] = [];
  /** What was printed and not taken yet, in characters. */
  #unread = 0;
  #sent = '';
  #isEnding = false;

  constructor() {
    this.#fromHost.on('data', (chunk) => {
      for (const message of this.#reader.push(chunk)) this.#receive(message as ToProcess);
    });
    // Whatever became of the host: nothing here is for anybody else.
    for (const pipe of [this.#fromHost, this.#host]) {
      pipe.on('error', () => endGroup());
      pipe.on('close', () => endGroup());
    }
  }

  #receive(message: ToProcess): void {
    switch (message.type) {
      case 'job':
        this.#start(message);
        break;
      case 'slot':
        this.#hand(message.message);
        break;
      case 'needed':
        Atomics.store(this.#needed, 0, message.needed);
        break;
      case 'gateway_opened':
        this.#openGateway();
        break;
      case 'gateway_closed':
        this.#gateway?.close();
        break;
      case 'gateway':
        this.#gateway?.postMessage(message.message);
        break;
      case 'printed_on':
        this.#unread -= message.length;
        if (this.#unread <= maxUnread) for (const stream of this.#printed) stream.resume();
        break;
      case 'taken':
        Atomics.store(this.#flags, sharedFlags.taken, message.taken);
        Atomics.notify(this.#flags, sharedFlags.taken);
    }
  }

  #start({ heapMb, memoryMb, execArgv, niceness, tsx, net, isRestricted }: ProcessJob): void {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: unknown) => this.#forward(message));
    const job: WorkerJob = {
      port: port2,
      sharedFlags: this.#flags.buffer,
      needed: this.#needed.buffer,
      niceness,
      tsx,
      net,
      isRestricted,
    };
    // This file, or what it was bundled into.
    const thread = new Worker(process.argv[1] ?? '', {
      workerData: { role: processRole, job },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: [...execArgv],
      stdout: true,
      stderr: true,
    });
    for (const stream of ['stdout', 'stderr'] as const) {
      thread[stream].setEncoding('utf8');
      thread[stream].on('data', (text: string) => this.#print(stream, text));
    }
    this.#printed = [thread.stdout, thread.stderr];
    thread.on('error', (error: unknown) => this.#failed(error));
    thread.on('exit', (code) => this.#exited(code));
    repeatedly(lookMs, () => this.#look(memoryMb));
  }

  /** The flags are ahead of the messages: they reach a loop that never returns to its port. */
  #hand(message: ToThread): void {
    const flags = this.#flags;
    switch (message.type) {
      case 'start':
        flags.fill(0, 0, activationFlags);
        Atomics.store(flags, sharedFlags.activation, message.activation);
        break;
      case 'stop':
        Atomics.store(flags, sharedFlags.stopActivation, message.activation);
        break;
      case 'take_back':
        Atomics.store(flags, sharedFlags.takeBackActivation, message.activation);
        break;
      case 'interrupt':
        this.#interrupt(message);
        return;
      default:
    }
    this.#port?.postMessage(message);
  }

  /** The receive that is on; the host knows only that there may be one. */
  #interrupt(message: Extract<ToThread, { type: 'interrupt' }>): void {
    const { activation } = message;
    const receive = Atomics.load(this.#flags, sharedFlags.startedSeq);
    if (receive > Atomics.load(this.#flags, sharedFlags.doneSeq)) {
      Atomics.store(this.#flags, sharedFlags.interruptSeq, receive);
      this.#port?.postMessage({ ...message, receive });
      return;
    }
    for (const answer of message.model) {
      this.#port?.postMessage({ type: 'model', activation, message: answer });
    }
  }

  #openGateway(): void {
    this.#gateway?.close();
    const { port1, port2 } = new MessageChannel();
    this.#gateway = port1;
    port1.on('message', (message: unknown) => this.#post({ type: 'gateway', message }));
    this.#port?.postMessage({ type: 'gateway', port: port2 }, [port2]);
  }

  #forward(message: unknown): void {
    // An interrupt may have been meant for a receive that did not begin after all.
    if (returnsAll(message as FromThread)) Atomics.store(this.#flags, sharedFlags.interruptSeq, 0);
    this.#post({ type: 'slot', message, progress: this.#progress() });
  }

  #progress(): ThreadProgress {
    const progress = {
      activation: Atomics.load(this.#flags, sharedFlags.activation),
      startedSeq: Atomics.load(this.#flags, sharedFlags.startedSeq),
      doneSeq: Atomics.load(this.#flags, sharedFlags.doneSeq),
      heartbeats: Atomics.load(this.#flags, sharedFlags.heartbeats),
    };
    this.#sent = Object.values(progress).join(' ');
    return progress;
  }

  /** No more than the host's output takes: the rest waits in the thread. */
  #print(stream: 'stdout' | 'stderr', text: string): void {
    this.#unread += text.length;
    if (this.#unread > maxUnread) for (const each of this.#printed) each.pause();
    this.#post({ type: 'printed', stream, text });
  }

  #look(memoryMb: number): void {
    const sent = this.#sent;
    const progress = this.#progress();
    if (sent !== this.#sent) this.#post({ type: 'progress', progress });
    const mb = Math.round(process.memoryUsage.rss() / bytesPerMb);
    if (mb <= memoryMb || this.#isEnding) return;
    this.#isEnding = true;
    const text = `the process took ${mb} MB of memory, and may take ${memoryMb}`;
    this.#post({ type: 'failed', failure: failure('out_of_memory', text) }, endGroup);
  }

  #failed(error: unknown): void {
    this.#post({ type: 'failed', failure: crashOf(error) });
  }

  #exited(code: number): void {
    const port = this.#port;
    const next = () => (port === null ? undefined : receiveMessageOnPort(port));
    for (let left = next(); left !== undefined; left = next()) this.#forward(left.message);
    this.#isEnding = true;
    // What it has printed last is handed on a turn later.
    setImmediate(() => this.#post({ type: 'exited', code, progress: this.#progress() }, endGroup));
  }

  /** A message that cannot be sent is the thread's doing: the host learns why its process ends. */
  #post(message: FromProcess, sent?: () => void): void {
    let frame: Buffer;
    try {
      frame = frameOf(message);
    } catch (error) {
      this.#host.write(
        frameOf({ type: 'failed', failure: toFailure(error, 'clone_failed') }),
        endGroup,
      );
      return;
    }
    this.#host.write(frame, sent);
  }
}

function returnsAll(message: FromThread): boolean {
  // Nothing of it is checked yet: a list may be as long as it says.
  if (message?.type !== 'batch' || !Array.isArray(message.items)) return false;
  if (message.items.length > largestBatch) return false;
  return message.items.some(
    (item) => typeof item === 'object' && item?.t === 'returned' && item.kept === 0,
  );
}

/** With all that its tools have started, which are of its group. */
function endGroup(): void {
  signalGroup(process.pid, 'SIGKILL');
}

async function serve({ job }: { readonly job: WorkerJob }): Promise<never> {
  const { default: slot } = await import('./actor.ts');
  return slot(job);
}

if (isMainThread) new ProcessMain();
else void serve(workerData as { readonly job: WorkerJob });
