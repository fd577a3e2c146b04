// Counts the bytes that host and threads allocate on their JavaScript heaps. Leaves out what native code allocates.
import type { Meter } from './meter.ts';
import { ThreadInspector } from './thread-inspector.ts';

/**
 * Flags of a process, and so of its threads: the young generation takes 64 MB before the collector runs. A window
 * allocates far less, so that whatever a heap grows by was allocated in it.
 */
export const allocationFlags = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

export async function allocationMeter(): Promise<Meter> {
  const inspector = await ThreadInspector.attach();
  return {
    prepare: async () => {
      await inspector.onHost('HeapProfiler.collectGarbage');
      await inspector.onThreads('HeapProfiler.collectGarbage');
    },
    read: async () => {
      const host = await inspector.onHost('Runtime.getHeapUsage');
      const threads = await inspector.onThreads('Runtime.getHeapUsage');
      return {
        'allocated by the host': usedBy(host),
        'allocated by threads': threads.reduce<number>((total, each) => total + usedBy(each), 0),
      };
    },
    report: (cost) => cost,
  };
}

/** `usage` is what the inspector answers to `Runtime.getHeapUsage`. */
function usedBy(usage: unknown): number {
  return (usage as { readonly usedSize: number }).usedSize;
}
