// Owns how modules of tools and of hooks are described: once each, in a thread of the kind that will run them.
import { type HookName, hookNames } from '../agent/hooks.ts';
import type { DescribeModule } from '../agent/tool-module-behavior.ts';
import type { SeatPool } from '../threads/pool.ts';
import type { ThreadProfile } from '../threads/profiles.ts';
import { ThreadHost } from '../threads/thread-host.ts';
import type { ToolDescription } from '../tools/tool.ts';
import type { Kernel } from './kernel.ts';

/** A module that takes longer to load than this is taken for one that never will. */
const describeTimeoutMs = 30_000;

export type ModuleDescriberOptions = {
  readonly kernel: Kernel;
  readonly pool: SeatPool;
  readonly profile: ThreadProfile;
};

export class ModuleDescriber {
  readonly #options: ModuleDescriberOptions;

  constructor(options: ModuleDescriberOptions) {
    this.#options = options;
  }

  /** Loads the module in a thread and describes its tools; rejects `tool_module_failed`. */
  async describe(url: string): Promise<readonly ToolDescription[]> {
    // The behaviour answers with descriptions; they are checked where they become tools.
    return (await this.#ask({ url, of: 'tools' })) as ToolDescription[];
  }

  /** Loads the module in a thread and names the hooks it exports; rejects `tool_module_failed`. */
  async describeHooks(url: string): Promise<readonly HookName[]> {
    const names = await this.#ask({ url, of: 'hooks' });
    return hookNames.filter((name) => Array.isArray(names) && names.includes(name));
  }

  async #ask(request: DescribeModule): Promise<unknown> {
    const { kernel, pool, profile } = this.#options;
    const cell = kernel.spawnCell(
      (hosted) =>
        new ThreadHost(hosted, {
          pool,
          office: kernel.office,
          guardian: kernel.tree,
          hold: kernel.hold,
          profile,
          target: { type: 'tools' },
          moduleSet: request.url,
          keepsState: true,
          window: 1,
          args: () => null,
        }),
      {},
    );
    const ref = kernel.refOf<DescribeModule>(cell);
    try {
      return await ref.ask(request, { timeoutMs: describeTimeoutMs });
    } finally {
      await ref.stop();
    }
  }
}
