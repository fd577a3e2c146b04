// Owns what is known of modules that threads load: described at need, and again after a failure or when long unused.
import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../base/failures.ts';
import { resolvedWithin } from '../../base/resolved-within.ts';
import type { HookName } from '../../protocol/hooks.ts';
import type { ToolDescription } from '../../protocol/tool-description.ts';
import type { WorkerProfile } from '../../protocol/worker-profile.ts';

/** How long a module that did not load in time is believed not to: each further try would cost a thread and the wait. */
const notAgainMs = 30_000;

/** A program may write its modules as it goes: the least recently used are described anew. */
const maxKnown = 1_000;

/** What loads a module in a thread and describes it. */
export type ModuleDescriptions = {
  /** Its tools; rejects `tool_module_failed`. */
  describe(url: string, profile: WorkerProfile): Promise<readonly ToolDescription[]>;
  /** The hooks it exports; rejects `tool_module_failed`. */
  describeHooks(url: string, profile: WorkerProfile): Promise<readonly HookName[]>;
};

export type PrepareHow = {
  readonly timeoutMs: number;
  /** Of the agent that needs them: their code runs with its rights from the first line on. */
  readonly profile: WorkerProfile;
};

export class DescribedModules<What> {
  readonly #describe: (url: string, profile: WorkerProfile) => Promise<What>;
  readonly #clock: Clock;
  readonly #known = new Map<string, What>();
  readonly #describing = new Map<string, Promise<void>>();
  readonly #overdue = new Map<string, { readonly error: TroupeError; readonly until: number }>();

  constructor(describe: (url: string, profile: WorkerProfile) => Promise<What>, clock: Clock) {
    this.#describe = describe;
    this.#clock = clock;
  }

  /** What is known of it, which is now the last to be forgotten. */
  get(url: string): What | undefined {
    const known = this.#known.get(url);
    if (known === undefined) return undefined;
    this.#known.delete(url);
    this.#known.set(url, known);
    return known;
  }

  /**
   * Describes those that are not known yet; null when all are. Rejects with what is wrong with the first, or
   * `tool_module_failed` when `timeoutMs` have passed; who waits longer for the same module still gets it.
   */
  prepare(urls: readonly string[], how: PrepareHow): Promise<void> | null {
    const missing = urls.filter((url) => this.get(url) === undefined);
    if (missing.length === 0) return null;
    return Promise.all(missing.map((url) => this.#within(url, how))).then(() => {});
  }

  async #within(url: string, { timeoutMs, profile }: PrepareHow): Promise<void> {
    const limits = { clock: this.#clock, timeoutMs, signal: undefined };
    if (await resolvedWithin(this.#learn(url, profile), limits)) return;
    const limit = `${timeoutMs} ms, which is all the time that its task has`;
    throw new TroupeError('tool_module_failed', `${url} did not load within ${limit}`);
  }

  #learn(url: string, profile: WorkerProfile): Promise<void> {
    const running = this.#describing.get(url);
    if (running !== undefined) return running;
    const overdue = this.#overdue.get(url);
    if (overdue !== undefined && this.#clock.now() < overdue.until) {
      return Promise.reject(overdue.error);
    }
    this.#overdue.delete(url);
    const describing = this.#describeNow(url, profile);
    this.#describing.set(url, describing);
    return describing;
  }

  async #describeNow(url: string, profile: WorkerProfile): Promise<void> {
    try {
      this.#known.set(url, await this.#describe(url, profile));
      forgetOldest(this.#known);
    } catch (error) {
      // Any other failure is over at once, and the module's author may have repaired it by the next task.
      if (error instanceof TroupeError && error.detail?.['timeoutMs'] !== undefined) {
        this.#overdue.set(url, { error, until: this.#clock.now() + notAgainMs });
        forgetOldest(this.#overdue);
      }
      throw error;
    } finally {
      this.#describing.delete(url);
    }
  }
}

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
}
