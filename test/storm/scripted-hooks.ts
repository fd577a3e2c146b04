// Owns the hooks of a storm's agents: some wait until the storm lets them, and none may be called twice for one thing.
import type { HookContext, Hooks } from '#src/index.js';

/** Of so many calls one waits. */
const waitEvery = 9;

export class ScriptedHooks {
  /** What a hook was called for more than once. */
  readonly repeated: string[] = [];
  readonly #gates: Set<() => void>;
  readonly #isOpen: () => boolean;
  readonly #seen = new Set<string>();
  #count = 0;

  /** `gates` is where the storm finds what it may let go on, unless `isOpen` says that none waits. */
  constructor(gates: Set<() => void>, isOpen: () => boolean) {
    this.#gates = gates;
    this.#isOpen = isOpen;
  }

  readonly hooks: Hooks = {
    beforeRun: (_run, context) => this.#called('beforeRun', '', context),
    beforeTurn: ({ turn }, context) => this.#called('beforeTurn', `${turn}`, context),
    afterTurn: ({ turn }, context) => this.#called('afterTurn', `${turn}`, context),
    beforeTool: ({ callId }, context) => this.#called('beforeTool', callId, context),
    afterTool: ({ callId }, context) => this.#called('afterTool', callId, context),
    afterRun: (_end, { agent, runId }) => this.#note('afterRun', `${agent.id} ${runId}`),
  };

  #called(name: string, what: string, { agent, runId, signal }: HookContext): Promise<null> | null {
    this.#note(name, `${agent.id} ${runId} ${what}`);
    this.#count += 1;
    if (this.#count % waitEvery !== 0 || this.#isOpen()) return null;
    return new Promise((resolve, reject) => {
      const open = (): void => {
        this.#gates.delete(open);
        resolve(null);
      };
      this.#gates.add(open);
      const onAbort = (): void => {
        this.#gates.delete(open);
        reject(signal.reason);
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #note(name: string, what: string): null {
    const key = `${name} ${what}`;
    if (this.#seen.has(key)) this.repeated.push(key);
    this.#seen.add(key);
    return null;
  }
}
