// Owns how tool modules are described: once each, in a thread of the kind that will run them.
import type { DescribeTools } from '../agent/tool-module-behavior.ts';
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
          moduleSet: url,
          window: 1,
          args: () => null,
        }),
      {},
    );
    const ref = kernel.refOf<DescribeTools>(cell);
    try {
      // The behaviour answers with descriptions; they are checked where they become tools.
      return (await ref.ask({ url }, { timeoutMs: describeTimeoutMs })) as ToolDescription[];
    } finally {
      await ref.stop();
    }
  }
}
