// Owns readings of a tree of agents that a storm needs. Pure.
import type { TreeSnapshot } from '#src/index.js';

export function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % Math.max(items.length, 1)];
}

/** By the name the storm gives them. */
export function isSpawned(path: string): boolean {
  return /^\/standing\d+$/.test(path);
}

export function nodesOf(tree: readonly TreeSnapshot[]): readonly TreeSnapshot[] {
  return tree.flatMap((node) => [node, ...nodesOf(node.children)]);
}

/** Tools whose calls end by an interrupt alone. */
export const endlessTools: ReadonlySet<string | null> = new Set([
  ...['spin', 'ignore', 'wait', 'deaf', 'deaf_host', 'terminal', 'reject', 'throw_later'],
]);

export function isEndless({ tool, status }: TreeSnapshot): boolean {
  return status !== 'queued' && endlessTools.has(tool);
}

/** Ids of the tasks among them that wait for an agent of their own. */
export function waitingIn(nodes: readonly TreeSnapshot[]): readonly string[] {
  return nodes.flatMap(({ status, taskId }) => (status === 'queued' ? [taskId] : []));
}

/** The tree in a line, for messages. */
export function lineOf(tree: readonly TreeSnapshot[]): string {
  return tree
    .map(({ path, goal, status, phase, tool, children }) =>
      [path, goal, status, phase, tool, `[${lineOf(children)}]`].join(' '),
    )
    .join(', ');
}
