// Owns the reports to the operator about wrongly configured agents: each fault once per configuration.
import { reasonOf } from '../../base/failures.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import type { ManagerSettings } from './settings.ts';
import type { StaticFault } from './static-fault.ts';
import { staticsOf } from './statics.ts';
import type { SubagentInput } from './subagent.ts';
import { allowedOf, boardTools, type ToolLists } from './tool-lists.ts';

export class FaultBook {
  readonly #host: SessionHost;
  readonly #reported = new Set<string>();

  /** Reports what is wrong with the shape of a configuration's agents. */
  constructor(host: SessionHost, faults: readonly StaticFault[]) {
    this.#host = host;
    this.#tell(faults);
  }

  /** The agents to register, and the names of all to keep: a faulty one keeps its earlier valid definition (A33). */
  judge({ config, options, lists }: ManagerSettings): {
    readonly agents: readonly SubagentInput[];
    readonly kept: ReadonlySet<string>;
  } {
    const { agents, faults } = staticsOf(config, options, this.#host);
    this.#tell(faults);
    void this.#tellMissingTools(agents, { lists, toolsets: options.toolsets ?? [] });
    return { agents, kept: new Set([...agents, ...faults].map(({ name }) => name)) };
  }

  /** Emits one `log` event per fault that was not reported yet. */
  #tell(faults: readonly StaticFault[]): void {
    for (const { name, why } of faults)
      this.#once(`subagent "${name}" is not taken as it is configured: ${why}`);
  }

  /** Tools that agents are given and that are not there, once the tool modules are known; never rejects. */
  async #tellMissingTools(
    agents: readonly SubagentInput[],
    { lists, toolsets }: { readonly lists: ToolLists; readonly toolsets: readonly string[] },
  ): Promise<void> {
    for (const { name, tools } of agents) {
      for (const tool of allowedOf(tools ?? [], lists)) {
        if (boardTools.includes(tool)) continue;
        const agent = { name, tools: [tool], toolsets };
        try {
          await this.#host.check({ goal: 'check', agent });
        } catch (thrown) {
          this.#once(`subagent "${name}" cannot run: ${reasonOf(thrown)}`);
        }
      }
    }
  }

  #once(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#host.warn(message);
  }
}
