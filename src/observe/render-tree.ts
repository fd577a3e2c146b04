// Owns the plain text of the tree, for simple terminals and logs: a line per agent, folded to the lines there are (C48). Pure.
import { z } from 'zod';
import { describe, TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { TreeSnapshot } from './tree.ts';

/** One line of a tree: the branch that leads to it, and how many below it are not shown. */
export type TreeLine = {
  readonly branch: string;
  readonly snapshot: TreeSnapshot;
  readonly folded: number;
};

export type TreeLines = {
  readonly lines: readonly TreeLine[];
  /** The number of agents left out, roots with everything below them, because the lines were used up. */
  readonly hidden: number;
};

/**
 * The lines of a tree, at most `maxRows`: first the deepest levels are folded into their parents, then the last roots are
 * left out. Every agent is shown, folded or hidden, exactly once.
 */
export function layTree(tree: readonly TreeSnapshot[], maxRows: number): TreeLines {
  const perLevel = levelsOf(tree);
  let levels = perLevel.length;
  let total = perLevel.reduce((sum, count) => sum + count, 0);
  while (levels > 1 && total > maxRows) {
    levels -= 1;
    total -= perLevel[levels] ?? 0;
  }
  const shown = tree.length <= maxRows ? tree : tree.slice(0, Math.max(1, maxRows - 1));
  const hidden = tree.slice(shown.length).reduce((sum, root) => sum + 1 + countBelow(root), 0);
  return { lines: shown.flatMap((root) => flatten(root, levels, '', '')), hidden };
}

function levelsOf(tree: readonly TreeSnapshot[]): readonly number[] {
  const counts: number[] = [];
  for (let level = tree; level.length > 0; level = level.flatMap(({ children }) => children)) {
    counts.push(level.length);
  }
  return counts;
}

function flatten(
  snapshot: TreeSnapshot,
  levels: number,
  indent: string,
  branch: string,
): readonly TreeLine[] {
  if (levels <= 1) return [{ branch, snapshot, folded: countBelow(snapshot) }];
  const children = snapshot.children.flatMap((child, index) => {
    const isLast = index === snapshot.children.length - 1;
    const below = indent + (isLast ? '   ' : '│  ');
    return flatten(child, levels - 1, below, indent + (isLast ? '└─ ' : '├─ '));
  });
  return [{ branch, snapshot, folded: 0 }, ...children];
}

function countBelow({ children }: TreeSnapshot): number {
  return children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
}

/** How much of a tree is shown. */
export type RenderTreeOptions = {
  /** Lines there are. Default: as many as it takes. */
  readonly maxLines?: number;
};

const schema = z.strictObject({ maxLines: z.number().optional() });

/**
 * The tree as text without any styles: `└─ reviewer  running  read  turn 2  1,234 tokens  $0.0100  1.2 s`. A line per
 * agent, children below the agent they work for; an empty text for an empty tree.
 */
export function renderTree(tree: readonly TreeSnapshot[], options: RenderTreeOptions = {}): string {
  if (!Array.isArray(tree)) {
    const what = `renderTree: the tree is ${describe(tree)}: expected what supervisor.tree() answers`;
    throw new TroupeError('invalid_options', what);
  }
  const { maxLines = Number.POSITIVE_INFINITY } = parseOptions(schema, options, 'renderTree');
  const { lines, hidden } = layTree(tree, Math.max(1, maxLines));
  const more = hidden > 0 && maxLines > 1 ? [`… ${hidden} more`] : [];
  return [...lines.map(lineOf), ...more].join('\n');
}

function lineOf({ branch, snapshot, folded }: TreeLine): string {
  const { name, status, turn, usage, elapsedMs } = snapshot;
  const tokens = usage.inputTokens + usage.outputTokens;
  const doing = doingOf(snapshot);
  const parts = [
    branch + oneLine(name),
    doing.startsWith(status) ? '' : status,
    doing,
    turn > 0 ? `turn ${turn}` : '',
    tokens > 0 ? `${tokens.toLocaleString('en-US')} tokens` : '',
    usage.costUsd === null || usage.costUsd === 0 ? '' : `$${usage.costUsd.toFixed(4)}`,
    `${(elapsedMs / 1_000).toFixed(1)} s`,
    folded > 0 ? `+${folded} below` : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** What an agent does or waits for, and from a second on for how long: `waiting for approval, 12 s`. */
export function doingOf(snapshot: TreeSnapshot): string {
  const { waitingMs } = snapshot;
  const what = doingNow(snapshot);
  return what === '' || waitingMs < 1_000 ? what : `${what}, ${Math.floor(waitingMs / 1_000)} s`;
}

function doingNow({ status, phase, tool, isAnswering }: TreeSnapshot): string {
  if (status !== 'running' && status !== 'waiting') return status;
  switch (phase) {
    case 'in_tool':
      return oneLine(tool ?? 'in tool');
    case 'waiting_for_model':
      // A provider that is silent is another thing than one that answers.
      return isAnswering ? 'model answers' : 'waiting for the provider';
    case 'waiting_for_child':
      return 'waiting for its children';
    case 'waiting_for_approval':
      return 'waiting for approval';
    case 'waiting_for_answer':
      return 'waiting for an answer';
    case 'in_hook':
      return 'in a hook';
    case 'between_turns':
      return '';
    default:
      return phase.replaceAll('_', ' ');
  }
}

/** A name must not move the cursor. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
