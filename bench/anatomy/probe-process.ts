// Owns a probe from its parent's side: its process, its requests and its end. Knows no figure.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { allocationFlags } from './allocation-meter.ts';
import type { Figures } from './figures.ts';
import type { MeterName } from './meter.ts';
import type { ProbeAnswer, ProbeRequest } from './probe.ts';
import type { SubjectName } from './subjects.ts';

const entry = fileURLToPath(new URL('./probe.js', import.meta.url));

/** A process that counts with one meter on the checkout at `root`; it ends with its scope. */
export class ProbeProcess implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exited: Promise<never>;

  constructor(root: string, meter: MeterName) {
    const execArgv = meter === 'allocations' ? allocationFlags : [];
    this.#process = fork(entry, [root, meter], { execArgv });
    this.#exited = once(this.#process, 'exit').then(([code]) => {
      throw new Error(`the probe of ${root} exited with ${code}`);
    });
    // Each request rejects with it.
    this.#exited.catch(() => {});
  }

  /** Makes a thing ready and does it `count` times uncounted. */
  async open(subject: SubjectName, count: number): Promise<void> {
    await this.#ask({ type: 'open', subject, count });
  }

  /** What one of the open thing costs, as the mean of `count`. */
  cost(count: number): Promise<Figures> {
    return this.#ask({ type: 'cost', count });
  }

  async close(): Promise<void> {
    await this.#ask({ type: 'close' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
  }

  async #ask(request: ProbeRequest): Promise<Figures> {
    const answered = once(this.#process, 'message') as Promise<[ProbeAnswer]>;
    this.#process.send(request);
    const [answer] = await Promise.race([answered, this.#exited]);
    if (answer.type === 'failed') throw new Error(answer.message);
    return answer.figures;
  }
}
