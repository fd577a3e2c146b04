// Counts the messages that cross from one thread to another, and their bytes. Leaves out how long they take.
import { countPosts } from './count-posts.ts';
import { type Figures, sum } from './figures.ts';
import type { Meter } from './meter.ts';
import { ThreadInspector } from './thread-inspector.ts';

const tallyOfThread = "globalThis[Symbol.for('troupe.bench.posts')]";

export async function messageMeter(): Promise<Meter> {
  const inspector = await ThreadInspector.attach(`${tallyOfThread} = (${countPosts})()`);
  const host = countPosts();
  return {
    prepare: async () => {},
    read: async () => {
      const evaluated = await inspector.onThreads('Runtime.evaluate', {
        expression: tallyOfThread,
        returnByValue: true,
      });
      // What the inspector answers to `Runtime.evaluate`.
      const threads = evaluated as readonly { readonly result: { readonly value: Figures } }[];
      return sum([host, ...threads.map(({ result }) => result.value)]);
    },
    report: (cost) => ({
      ...cost,
      messages: total(cost, 'messages '),
      bytes: total(cost, 'bytes '),
    }),
  };
}

/** The sum over all directions. */
function total(cost: Figures, prefix: string): number {
  const names = Object.keys(cost).filter((name) => name.startsWith(prefix));
  return names.reduce((sum, name) => sum + (cost[name] ?? 0), 0);
}
