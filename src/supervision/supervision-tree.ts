// Owns the tree of a system: parents and children, what its cells report, which signal reaches which actor.
// Leaves out restarts and operations (beside it), limits (admission), and where activations run (launch).
import { type Address, childPath } from '../actor/address.ts';
import type { ChildOptions } from '../actor/behavior.ts';
import { Cell } from '../actor/cell.ts';
import type { CellSupervisor } from '../actor/cell-supervisor.ts';
import { type Exit, type ExitReason, isNormalExit } from '../actor/exit.ts';
import { reasonOf } from '../actor/interrupt-reason.ts';
import { defaultMailboxLimits } from '../actor/mailbox.ts';
import type { MessageRouter } from '../actor/message-router.ts';
import {
  alreadyDead,
  type InterruptOptions,
  type InterruptReceipt,
  type SignalCarrier,
} from '../actor/ref.ts';
import { reportUncaught } from '../actor/report-uncaught.ts';
import { type Failure, TroupeError } from '../base/failures.ts';
import { childSpecOf } from './child-spec.ts';
import { Restarts } from './restarts.ts';
import { affectedActors } from './scope.ts';
import { defaultGracePeriods, type GracePeriods } from './termination.ts';
import { Terminations } from './terminations.ts';
import { isBeingEnded, TreeNode } from './tree-node.ts';
import type { SpawnRequest, SupervisionTreeOptions, TreeObserver } from './tree-options.ts';

export class SupervisionTree implements CellSupervisor<Cell>, SignalCarrier {
  observer: TreeObserver;
  readonly #router: MessageRouter<Cell>;
  readonly #terminations: Terminations;
  readonly #restarts: Restarts;
  readonly #spawnChild: NonNullable<SupervisionTreeOptions['spawnChild']>;

  constructor(options: SupervisionTreeOptions) {
    const { router, clock, processRef, random } = options;
    const graces = { ...defaultGracePeriods, ...options.graces };
    this.#router = router;
    this.observer = options.observer ?? {};
    this.#terminations = new Terminations({
      clock,
      processRef,
      graces,
      partialOf: (cell) => this.observer.partialOf?.(cell) ?? null,
      onlyWaits: (cell) => this.observer.onlyWaits?.(cell) === true,
      endsParked: (cell) => this.observer.endsParked?.(cell) === true,
      interruptParked: (cell, reason) => this.observer.interruptParked?.(cell, reason),
    });
    this.#restarts = new Restarts({
      clock,
      random,
      terminations: this.#terminations,
      stopGraceMs: graces.stopGraceMs,
      onRestarting: (cell, exit, delayMs) => this.observer.restarting?.(cell, exit, delayMs),
      onOutlived: (cell, exit) => {
        this.#changed(cell);
        this.observer.passivated?.(cell, exit);
      },
    });
    this.#spawnChild =
      options.spawnChild ??
      (async () => {
        throw new TroupeError('spawn_failed', 'actors of this system cannot spawn');
      });
  }

  get size(): number {
    return this.#router.registry.size;
  }

  /** The place of an actor that is not over. */
  node(id: string): TreeNode | undefined {
    const cell = this.#router.registry.get(id);
    return cell === undefined ? undefined : nodeOf(cell);
  }

  /** The actors without a parent, in start order. */
  roots(): readonly TreeNode[] {
    return [...this.#router.registry.cells()].map(nodeOf).filter((node) => node.parent === null);
  }

  /**
   * Adds an actor, which its owner then opens. Throws `name_taken`, or `interrupting` below an actor that is being
   * interrupted (S8), or `actor_terminated` when the parent has ended.
   */
  create(request: SpawnRequest): Cell {
    const parent = request.parent === null ? null : this.#livingParent(request.parent);
    const id = this.#router.registry.nextId();
    const above = request.pathBelow ?? parent?.cell.address.path ?? '/';
    const path = childPath(above, request.name ?? id);
    if (request.name !== undefined && this.#router.registry.isTaken(path)) {
      throw new TroupeError('name_taken', `there is an actor named ${path} already`);
    }
    const cell = new Cell({
      address: { id, path },
      router: this.#router,
      supervisor: this,
      launch: request.launch,
      mailbox:
        request.mailbox === undefined
          ? defaultMailboxLimits
          : { ...defaultMailboxLimits, ...request.mailbox },
      passivateAfterMs: request.passivateAfterMs,
    });
    const spec = childSpecOf(request.spec);
    const node = new TreeNode(cell, parent, spec);
    cell.attachment = node;
    this.#router.registry.add(cell, request.name !== undefined);
    if (parent !== null) parent.addChild(node);
    return cell;
  }

  // --- signals (SignalCarrier)

  async interrupt(
    target: Address,
    options: InterruptOptions = {},
    graces?: Partial<GracePeriods>,
  ): Promise<readonly InterruptReceipt[]> {
    const node = this.node(target.id);
    if (node === undefined) return [alreadyDead(target)];
    const members = affectedActors(node, options.scope ?? 'run');
    return this.#terminations.run(members, 'interrupt', {
      reason: reasonOf(options),
      exitReason: 'interrupted',
      graces,
    });
  }

  async stop(
    target: Address,
    exitReason: ExitReason = 'stopped',
    graces?: Partial<GracePeriods>,
  ): Promise<readonly InterruptReceipt[]> {
    const node = this.node(target.id);
    if (node === undefined) return [alreadyDead(target)];
    const reason = `it is being ended (${exitReason})`;
    return this.#terminations.run(affectedActors(node, 'agent'), 'stop', {
      reason,
      exitReason,
      graces,
    });
  }

  /** Kills the target at once; its children, which lose their parent by that, are stopped (S6, V5). */
  async kill(
    target: Address,
    exitReason: ExitReason = 'killed',
  ): Promise<readonly InterruptReceipt[]> {
    const node = this.node(target.id);
    if (node === undefined) return [alreadyDead(target)];
    const reason = `it is being ended (${exitReason})`;
    return this.#terminations.run(affectedActors(node, 'agent'), 'stop', {
      reason,
      exitReason,
      killFirst: node,
    });
  }

  pause(target: Address): void {
    this.node(target.id)?.cell.pause();
  }

  resume(target: Address): void {
    this.node(target.id)?.cell.resume();
  }

  /** Stops every tree at once, leaf-first in each (V6). */
  async stopAll(graces?: Partial<GracePeriods>): Promise<readonly InterruptReceipt[]> {
    const members = this.roots().flatMap((root) => affectedActors(root, 'agent'));
    if (members.length === 0) return [];
    const why = { reason: 'the system is closing', exitReason: 'stopped' as const, graces };
    return this.#terminations.run(members, 'stop', why);
  }

  // --- what cells report (CellSupervisor)

  started(cell: Cell): void {
    this.observer.started?.(cell);
  }

  activationEnded(cell: Cell, exit: Exit): void {
    const node = nodeOf(cell);
    if (node.children.size === 0) {
      this.#restarts.decide(node, exit);
      return;
    }
    // Parent exit stops the children, always; what follows waits for the last of them (V5).
    node.pendingExit = exit;
    // Those that are being ended with it keep the graces they were given: one deadline for the tree (S4).
    const children = [...node.children].filter((child) => !isBeingEnded(child));
    void this.#terminations.stopChildren(children);
  }

  parked(cell: Cell): void {
    // An operation under way may have it go on: that comes after the report that it left.
    this.observer.parked?.(cell);
    this.#changed(cell);
  }

  isFree(cell: Cell): boolean {
    const { children, isFrozen, group, pendingExit } = nodeOf(cell);
    return children.size === 0 && !isFrozen && group === null && pendingExit === null;
  }

  passivated(cell: Cell): void {
    this.#changed(cell);
    this.observer.passivated?.(cell, null);
  }

  stayedLive(cell: Cell, failure: Failure | null): void {
    this.observer.stayedLive?.(cell, failure);
  }

  activationFailed(cell: Cell, failure: Failure): void {
    this.#changed(cell);
    this.observer.activationFailed?.(cell, failure);
  }

  unresponsive(cell: Cell): void {
    // Its exit may never be reported; its children are not to wait for that (V5).
    void this.#terminations.stopChildren([...nodeOf(cell).children]);
    this.observer.unresponsive?.(cell);
  }

  idle(cell: Cell): void {
    this.#changed(cell);
  }

  gone(cell: Cell): void {
    this.observer.gone?.(cell);
  }

  published(cell: Cell, event: unknown): void {
    this.observer.published?.(cell, event);
  }

  listenerFailed(cell: Cell, error: unknown): void {
    if (this.observer.listenerFailed === undefined) reportUncaught(error);
    else this.observer.listenerFailed(cell, error);
  }

  released(cell: Cell, exit: Exit): void {
    const node = nodeOf(cell);
    node.group?.leave(node);
    node.parent?.removeChild(node);
    this.observer.released?.(cell, exit);
  }

  left(cell: Cell, exit: Exit): void {
    const node = nodeOf(cell);
    const { parent } = node;
    if (node.isFrozen) for (const termination of [...node.terminations]) termination.changed(node);
    if (parent === null) return;
    if (parent.pendingExit !== null && parent.children.size === 0) {
      const pending = parent.pendingExit;
      parent.pendingExit = null;
      this.#restarts.decide(parent, pending);
    } else if (node.spec.isLinked && !isNormalExit(exit.reason) && parent.pendingExit === null) {
      parent.cell.kill('crashed');
    }
  }

  isRestarting(cell: Cell): boolean {
    const node = nodeOf(cell);
    return node.group !== null && !isBeingEnded(node);
  }

  spawnChild(parent: Address, module: string, options: ChildOptions): Promise<Address> {
    return this.#spawnChild(parent, module, options);
  }

  stopFor(owner: Address, actor: Address): void {
    const target = this.node(actor.id);
    for (let at = target ?? null; at !== null; at = at.parent) {
      if (at.cell.address.id === owner.id) void this.stop(actor);
    }
  }

  #changed(cell: Cell): void {
    const node = nodeOf(cell);
    for (const termination of [...node.terminations]) termination.changed(node);
  }

  #livingParent(parent: Address): TreeNode {
    const node = this.node(parent.id);
    if (node === undefined || node.pendingExit !== null) {
      throw new TroupeError('actor_terminated', `${parent.path} has ended`);
    }
    if (node.isFrozen) {
      throw new TroupeError('interrupting', `${parent.path} is being interrupted`);
    }
    return node;
  }
}

/** The tree attaches a node to every cell it makes, before the cell can report anything. */
function nodeOf(cell: Cell): TreeNode {
  return cell.attachment as TreeNode;
}
