// Checks the plain text of the tree: what a line says, and that any tree fits any number of lines with nobody lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsage } from '#src/base/outcome.js';
import { renderTree, type TreeSnapshot } from '#src/index.js';
import { layTree } from '#src/observe/render-tree.js';

function node(name: string, more: Partial<TreeSnapshot> = {}): TreeSnapshot {
  return {
    agentId: name,
    taskId: name,
    parentId: null,
    name,
    path: `/${name}`,
    depth: 0,
    status: 'running',
    phase: 'waiting_for_model',
    waitingMs: 0,
    isAnswering: false,
    goal: 'Look',
    model: 'offline',
    turn: 0,
    tool: null,
    elapsedMs: 1_234,
    usage: noUsage,
    children: [],
    ...more,
  };
}

const family = node('top', {
  phase: 'waiting_for_child',
  turn: 1,
  usage: { ...noUsage, inputTokens: 1_200, outputTokens: 34, costUsd: 0.0123 },
  children: [
    node('read', {
      phase: 'in_tool',
      tool: 'grep',
      turn: 2,
      children: [node('deep\u001b[2J', { status: 'queued', phase: 'queued' })],
    }),
    node('over', { status: 'completed', phase: 'between_turns' }),
  ],
});

describe('the tree as text', () => {
  it('has a line per agent, children below whoever they work for, each with its current tool (C48)', () => {
    expect(renderTree([family])).toBe(
      [
        'top  running  waiting for its children  turn 1  1,234 tokens  $0.0123  1.2 s',
        '├─ read  running  grep  turn 2  1.2 s',
        '│  └─ deep [2J  queued  1.2 s',
        '└─ over  completed  1.2 s',
      ].join('\n'),
    );
    expect(renderTree([])).toBe('');
  });

  it.each([
    [{ status: 'waiting', phase: 'waiting_for_model' }, 'waiting for the provider'],
    [
      { status: 'waiting', phase: 'waiting_for_model', isAnswering: true },
      'waiting  model answers',
    ],
    [{ status: 'waiting', phase: 'waiting_for_child' }, 'waiting for its children'],
    [{ status: 'waiting', phase: 'waiting_for_approval' }, 'waiting for approval'],
    [{ status: 'waiting', phase: 'waiting_for_answer' }, 'waiting for an answer'],
    [{ status: 'waiting', phase: 'in_hook' }, 'waiting  in a hook'],
    [{ status: 'waiting', phase: 'in_tool', tool: 'read' }, 'waiting  read'],
    [{ status: 'waiting', phase: 'paused' }, 'waiting  paused'],
    [{ status: 'ready', phase: 'in_tool' }, 'ready'],
    [{ status: 'queued', phase: 'queued' }, 'queued'],
  ] as const)('says what %j waits for, and how long from a second on (C48, W1)', (is, text) => {
    expect(renderTree([node('a', is)])).toBe(`a  ${text}  1.2 s`);
    expect(renderTree([node('a', { ...is, waitingMs: 12_300 })])).toBe(`a  ${text}, 12 s  1.2 s`);
  });

  it('folds the deepest first when there are fewer lines, then leaves roots out (C42, C48)', () => {
    const line = (text: string): string => text.split('  ')[0] ?? '';
    const short = (maxLines: number): readonly string[] =>
      renderTree([family, node('other')], { maxLines }).split('\n');

    expect(short(4)).toHaveLength(4);
    expect(short(4)[1]).toMatch(/^├─ read .* \+1 below$/);
    expect(short(2).map(line)).toEqual(['top', 'other']);
    expect(short(2)[0]).toMatch(/\+3 below$/);
    expect(renderTree([node('a'), node('b'), family], { maxLines: 2 })).toMatch(/\n… 5 more$/);
  });

  it('fits any tree into any room, everyone shown, folded or hidden once (C48)', () => {
    const treeOf = (levels: number): fc.Arbitrary<TreeSnapshot> =>
      levels === 0
        ? fc.constant(node('any'))
        : fc
            .array(treeOf(levels - 1), { maxLength: 3 })
            .map((children) => node('any', { children }));
    const tree = treeOf(3);
    const size = (nodes: readonly TreeSnapshot[]): number =>
      nodes.reduce((sum, { children }) => sum + 1 + size(children), 0);

    fc.assert(
      fc.property(
        fc.array(tree, { maxLength: 5 }),
        fc.integer({ min: 1, max: 12 }),
        (all, maxRows) => {
          const { lines, hidden } = layTree(all, maxRows);

          const folded = lines.reduce((sum, line) => sum + line.folded, 0);
          expect(lines.length + folded + hidden).toBe(size(all));
          expect(lines.length + (hidden > 0 && maxRows > 1 ? 1 : 0)).toBeLessThanOrEqual(maxRows);
        },
      ),
    );
  });
});
