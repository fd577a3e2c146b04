// Owns how modules of tools and of hooks are described: once each, in a thread of the kind that will run them.
import { exitOf } from '../actor/lifecycle.ts';
import type { Kernel } from '../actor-system/kernel.ts';
import type { DescribeModule } from '../agent/tool-module-behavior.ts';
import type { CancelTimer } from '../base/clock.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import { messageAt } from '../base/stack.ts';
import { type HookName, hookNames } from '../protocol/hooks.ts';
import type { ToolDescription } from '../protocol/tool-description.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import { WorkerActivationHost } from '../threads/worker-activation-host.ts';
import type { WorkerPool } from '../threads/worker-pool.ts';
import { withSyntaxPlace } from './syntax-place.ts';

/** How long one waits for a thread to load it in; its own time begins there. */
const threadTimeoutMs = 600_000;

export type ModuleDescriberOptions = {
  readonly kernel: Kernel;
  readonly pool: WorkerPool;
  /** A module that takes longer is taken for one that never loads. */
  readonly loadTimeoutMs: number;
};

export class ModuleDescriber {
  readonly #options: ModuleDescriberOptions;

  constructor(options: ModuleDescriberOptions) {
    this.#options = options;
  }

  /** Loads the module in a thread and describes its tools; rejects `tool_module_failed`. */
  async describe(url: string, profile: WorkerProfile): Promise<readonly ToolDescription[]> {
    // The behaviour answers with descriptions; they are checked where they become tools.
    return (await this.#ask({ url, of: 'tools' }, profile)) as ToolDescription[];
  }

  /** Loads the module in a thread and names the hooks it exports; rejects `tool_module_failed`. */
  async describeHooks(url: string, profile: WorkerProfile): Promise<readonly HookName[]> {
    const names = await this.#ask({ url, of: 'hooks' }, profile);
    return hookNames.filter((name) => Array.isArray(names) && names.includes(name));
  }

  async #ask(request: DescribeModule, profile: WorkerProfile): Promise<unknown> {
    const { kernel, pool, loadTimeoutMs } = this.#options;
    let isOverdue = false;
    let cancel: CancelTimer = () => {};
    const cell = kernel.spawnCell(
      (hosted) =>
        new WorkerActivationHost(hosted, {
          pool,
          kernel,
          profile,
          target: { type: 'tools' },
          moduleSet: request.url,
          window: 1,
          args: () => null,
          onSlotAcquired: () => {
            cancel = kernel.clock.after(loadTimeoutMs, () => {
              isOverdue = true;
              // It may spin, and answers to nothing else.
              void kernel.tree.kill(hosted.address);
            });
            return null;
          },
        }),
      {},
    );
    const ref = kernel.refOf<DescribeModule>(cell);
    try {
      const described = await ref.ask(request, { timeoutMs: threadTimeoutMs });
      await ref.stop();
      return described;
    } catch (error) {
      // Its thread may take long to end; the caller does not wait for that.
      void ref.kill();
      if (isOverdue) throw overdue(request.url, loadTimeoutMs);
      // An ask that came after its thread's end knows that it ended, and not of what.
      throw await named(request.url, exitOf(cell.state)?.failure ?? error);
    } finally {
      cancel();
    }
  }
}

function overdue(url: string, timeoutMs: number): TroupeError {
  const text = `${url} did not load within ${timeoutMs} ms (timeouts.loadTimeoutMs)`;
  return new TroupeError('tool_module_failed', text, { detail: { timeoutMs } });
}

/** Whatever became of the thread, the error names the module. */
async function named(url: string, error: unknown): Promise<TroupeError> {
  const cause = toFailure(error);
  if (cause.code === 'tool_module_failed') {
    const { message, ...placed } = await withSyntaxPlace(url, cause);
    return TroupeError.from({
      ...placed,
      message: `${message}${kindHint(message)}${rightsHint(message)}`,
    });
  }
  const text = `${url} could not be loaded: ${messageAt(cause)}`;
  return new TroupeError('tool_module_failed', text, { detail: { cause } });
}

/** What to do with a module whose profile has few rights. */
function rightsHint(message: string): string {
  if (!message.includes('Access to this API has been restricted')) return '';
  return '; the profile of its agent takes that away: name the folder of the module, and what it loads, in fs.read';
}

/** What to do with a module that Node takes for CommonJS: `npm init` writes that into a package. */
function kindHint(message: string): string {
  const isTaken = /Cannot use import statement outside a module|Unexpected token 'export'/;
  if (!isTaken.test(message)) return '';
  return '; Node takes it for CommonJS: name it .mjs, or write "type": "module" into its package.json';
}
