// Checks how far an interrupt goes (S5).
import { describe, expect, it } from 'vitest';
import { affectedActors, type ScopedNode } from '#src/supervision/scope.js';

interface Node extends ScopedNode<Node> {
  readonly name: string;
}

function node(name: string, scope: 'run' | 'session', children: readonly Node[] = []): Node {
  return { name, scope, children };
}

const tree = node('top', 'session', [
  node('run', 'run', [node('run/session', 'session'), node('run/run', 'run')]),
  node('session', 'session', [node('session/run', 'run'), node('session/session', 'session')]),
]);

describe('reach', () => {
  it.each([
    { scope: 'run', reached: ['top idle', 'run ended', 'run/session ended', 'run/run ended'] },
    {
      scope: 'agent',
      reached: [
        'top ended',
        'run ended',
        'run/session ended',
        'run/run ended',
        'session ended',
        'session/run ended',
        'session/session ended',
      ],
    },
    {
      scope: 'subtree',
      reached: [
        'top idle',
        'run ended',
        'run/session ended',
        'run/run ended',
        'session idle',
        'session/run ended',
        'session/session idle',
      ],
    },
  ] as const)('takes $reached along under scope $scope, parents first (S5)', (row) => {
    const reached = affectedActors(tree, row.scope).map((one) => `${one.node.name} ${one.want}`);

    expect(reached).toEqual(row.reached);
  });
});
