// Owns a stdio server's process: started in a group of its own, spoken to line by line, ended with everything it started.
import type { JSONRPCMessage, ReadBuffer, Transport } from '@modelcontextprotocol/client';
import { ByteBuffer } from '../../base/byte-buffer.ts';
import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../base/failures.ts';
import { type GroupLeader, type ProcessGroup, startGroup } from '../processes/process-group.ts';

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly clock: Clock;
  /** Between the end of its input and SIGTERM, and between that and SIGKILL. */
  readonly graceMs: number;
  /** Takes messages out of a stream of bytes. */
  readonly buffer: ReadBuffer;
};

const keptComplaints = 65_536;
const drainMs = 1_000;
const newline = 0x0a;
/** Where the buffer's own bound is at the latest. */
const maxLineBytes = 16_777_216;
/** What may wait to be read when a message comes; one message alone may be longer. */
const maxUnreadBytes = 16_777_216;

/** The SDK's own leaves the children of a server alive; with this one a whole group ends. */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** By both the SDK distinguishes a process from an address, and so a silent server from one that is out of order. */
  readonly stderr = null;
  pid: number | null = null;
  /** How the process ended; null while it runs. */
  exit: string | null = null;
  /** The first of what it wrote to its standard error; whole when it is shorter than that. */
  complaints = '';
  readonly #options: ChildOptions;
  #child: GroupLeader | null = null;
  #group: ProcessGroup | null = null;
  readonly #session = new ByteBuffer();
  #isGone = false;
  #isClosed = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Resolves when the process runs; rejects when it cannot be started. */
  start(): Promise<void> {
    const { command, clock } = this.#options;
    const { leader: child, group } = startGroup({ file: command, ...this.#options }, this.#options);
    const started = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.on('error', reject);
    });
    // Where no file can be opened it has no streams either.
    if (group === null) return started;
    this.#child = child;
    this.#group = group;
    this.pid = group.pid;
    // A process that left the group may keep the pipes open for ever.
    void group.over.then(() => clock.after(drainMs, () => this.#gone()));
    child.stdout.on('data', (chunk: Buffer) => this.#received(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const remaining = keptComplaints - this.complaints.length;
      if (remaining > 0) this.complaints += chunk.slice(0, remaining);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    child.once('exit', (code, signal) => {
      this.exit = signal ?? `exit code ${code ?? 0}`;
    });
    child.once('close', () => this.#gone());
    return started;
  }

  /** True when it wrote more than is kept: what is kept may end in mid-sentence. */
  get hasMoreComplaints(): boolean {
    return this.complaints.length === keptComplaints;
  }

  /**
   * Resolves when the message is written, rejects `mcp_unavailable`. A server that has not read 16 MiB of those before it
   * is lost, and ended.
   */
  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || this.#isGone || !child.stdin.writable) {
      return Promise.reject(new TroupeError('mcp_unavailable', 'its process takes no more'));
    }
    if (child.stdin.writableLength > maxUnreadBytes) {
      this.#tellClosed();
      void this.#group?.end();
      return Promise.reject(new TroupeError('mcp_unavailable', 'its process reads nothing'));
    }
    return new Promise((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(new TroupeError('mcp_unavailable', error.message, { cause: error }));
        else resolve();
      });
    });
  }

  /** Closes its input, then sends SIGTERM, then kills. Resolves when its group is empty; pending calls fail at once. */
  async close(): Promise<void> {
    const { clock, graceMs } = this.#options;
    this.#tellClosed();
    this.#keepAlive(true);
    this.#child?.stdin.end();
    if (this.#group !== null) {
      const cancel = clock.after(graceMs, () => void this.#group?.end());
      await this.#group.over;
      cancel();
    }
    this.#gone();
  }

  /** A server without a call does not keep the process alive; one that is being started or closed does. */
  rest(): void {
    this.#keepAlive(false);
  }

  #keepAlive(isKept: boolean): void {
    const handles: readonly unknown[] = [
      this.#child,
      this.#child?.stdin,
      this.#child?.stdout,
      this.#child?.stderr,
    ];
    for (const handle of handles) {
      if (!isReferable(handle)) continue;
      if (isKept) handle.ref();
      else handle.unref();
    }
  }

  #received(chunk: Buffer): void {
    const { buffer } = this.#options;
    this.#session.append(chunk);
    // The buffer copies all it has for every piece it is given: it is given whole lines.
    if (!chunk.includes(newline) && this.#session.length <= maxLineBytes) return;
    try {
      buffer.append(this.#session.take());
    } catch (error) {
      // More than any message may have: there is no way back into step.
      this.onerror?.(asError(error));
      void this.#group?.end();
      return;
    }
    for (let isMore = true; isMore; ) {
      try {
        const message = buffer.readMessage();
        isMore = message !== null;
        if (message !== null) this.onmessage?.(message);
      } catch (error) {
        // A line that is no message; the next may be one.
        this.onerror?.(asError(error));
      }
    }
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) {
      stream?.destroy();
    }
    this.#tellClosed();
  }

  #tellClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

type Referable = { ref(): void; unref(): void };

function isReferable(value: unknown): value is Referable {
  return typeof value === 'object' && value !== null && 'ref' in value && 'unref' in value;
}
