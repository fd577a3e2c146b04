// Owns an actor's place in the tree: its parent, its children in start order, and what is being done to it.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { ChildScope, ChildSpec } from './child-spec.ts';

/** An interrupt, stop or kill under way on a part of the tree. */
export interface NodeTermination {
  /** The node's state changed. */
  changed(node: TreeNode): void;
  /** True while it ends the node, so that nothing restarts it. */
  ends(node: TreeNode): boolean;
  /** True while it is to end the actor itself, not only its receive. */
  wantsEnd(node: TreeNode): boolean;
}

/** Nodes that restart together. */
export interface NodeGroup {
  /** A member's activation ended. */
  check(): void;
  leave(member: TreeNode): void;
}

const noChildren: ReadonlySet<TreeNode> = new Set();
const noRestarts: readonly number[] = [];
const noTerminations: ReadonlySet<NodeTermination> = new Set();

export class TreeNode {
  readonly cell: Cell;
  readonly parent: TreeNode | null;
  readonly spec: ChildSpec;
  /** The strongest ending signal sent to it (S1). */
  sent = 0;
  /** Restart times inside the intensity window, newest first. */
  restarts: readonly number[] = noRestarts;
  /** An activation has ended and its children are being stopped before anything else happens. */
  pendingExit: Exit | null = null;
  /** The restart it waits for. */
  group: NodeGroup | null = null;
  #children: Set<TreeNode> | undefined;
  #terminations: Set<NodeTermination> | undefined;

  constructor(cell: Cell, parent: TreeNode | null, spec: ChildSpec) {
    this.cell = cell;
    this.parent = parent;
    this.spec = spec;
  }

  get scope(): ChildScope {
    return this.spec.scope;
  }

  /** In start order: the order is the meaning of `rest_for_one`. */
  get children(): ReadonlySet<TreeNode> {
    return this.#children ?? noChildren;
  }

  /** The operations under way on it. */
  get terminations(): ReadonlySet<NodeTermination> {
    return this.#terminations ?? noTerminations;
  }

  addTermination(termination: NodeTermination): void {
    this.#terminations ??= new Set();
    this.#terminations.add(termination);
  }

  removeTermination(termination: NodeTermination): void {
    this.#terminations?.delete(termination);
  }

  /** True while an operation on the node is under way: spawns below it are refused `interrupting` (S4). */
  get isFrozen(): boolean {
    return this.terminations.size > 0;
  }

  get depth(): number {
    return this.parent === null ? 0 : this.parent.depth + 1;
  }

  addChild(child: TreeNode): void {
    this.#children ??= new Set();
    this.#children.add(child);
  }

  removeChild(child: TreeNode): void {
    this.#children?.delete(child);
  }
}

/** True while an operation ends the node, so that nothing restarts it. */
export function isBeingEnded(node: TreeNode): boolean {
  return node.isFrozen && [...node.terminations].some((each) => each.ends(node));
}

/** True while an operation is to end the actor itself, not only its receive. */
export function isWantedEnded(node: TreeNode): boolean {
  return node.isFrozen && [...node.terminations].some((each) => each.wantsEnd(node));
}
