// Owns how far an interrupt goes: which descendants it takes along, and what it wants of each (S5).
import type { InterruptScope } from '../actor/ref.ts';
import type { ChildScope } from './child-spec.ts';
import type { Goal } from './escalation.ts';

export type ScopedNode<Node> = { readonly scope: ChildScope; readonly children: Iterable<Node> };

/** The actors an operation touches, parents before children, each with what is wanted of it. */
export function affectedActors<Node extends ScopedNode<Node>>(
  target: Node,
  scope: InterruptScope,
): readonly { readonly node: Node; readonly want: Goal }[] {
  const reached: { node: Node; want: Goal }[] = [];
  const visit = (node: Node, want: Goal): void => {
    reached.push({ node, want });
    for (const child of node.children) {
      // An actor that ends stops all its children (V5); one that only falls idle stops those of its run.
      if (want === 'ended' || child.scope === 'run') visit(child, 'ended');
      else if (scope === 'subtree') visit(child, 'idle');
    }
  };
  visit(target, scope === 'agent' ? 'ended' : 'idle');
  return reached;
}
