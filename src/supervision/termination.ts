// Owns one interrupt, stop or kill of a tree while it runs: suspend, signal, escalate, collect receipts (S3, S4).
import type { Cell } from '../actor/cell.ts';
import type { InterruptReceipt } from '../actor/ref.ts';
import { type StopSignal, strengthOf } from '../actor/signal.ts';
import type { CancelTimer, Clock } from '../base/clock.ts';
import { roundedMs } from '../base/rounded-ms.ts';
import {
  type EscalationPhase,
  type EscalationView,
  type Goal,
  isComplete,
  nextPhaseDueAt,
  nextSignal,
  stageOf,
} from './escalation.ts';
import type { TreeNode } from './tree-node.ts';

/** How long an actor may take to obey before the next stronger signal follows. */
export type GracePeriods = {
  /** Milliseconds from an interrupt to a stop. Default 2,000. */
  readonly interruptGraceMs: number;
  /** Milliseconds from a stop to a kill. Default 2,000. */
  readonly stopGraceMs: number;
};

/** 2 s each. */
export const defaultGracePeriods: GracePeriods = { interruptGraceMs: 2_000, stopGraceMs: 2_000 };

export type TerminationRequest = {
  readonly members: readonly { readonly node: TreeNode; readonly want: Goal }[];
  readonly startPhase: EscalationPhase;
  /** Killed before anything else happens; the others go through the escalation. */
  readonly killFirst?: TreeNode | undefined;
  readonly graces: GracePeriods;
  /** Performs a signal on a node. */
  readonly send: (node: TreeNode, signal: StopSignal) => void;
  /** What an agent had when it was ended; null for other actors. */
  readonly partialOf: (cell: Cell) => unknown;
  /** All that an actor does is to wait for its children. */
  readonly onlyWaits: (cell: Cell) => boolean;
  /** An actor without an activation that ends its receive by itself once it is interrupted. */
  readonly endsParked: (cell: Cell) => boolean;
  /** Has the receive of such an actor ended. */
  readonly interruptParked: (cell: Cell) => void;
};

type Member = {
  readonly node: TreeNode;
  readonly want: Goal;
  readonly wasOver: boolean;
  readonly hadReceive: boolean;
  readonly wasWaiting: boolean;
  /** Its intake is open again, for the receive that it ends by itself: its activation is still to come (W6). */
  isLetEnd: boolean;
  isComplete: boolean;
  /**
   * It could not obey yet, since it waited for its children: its own grace begins when they are over. `ends` is how to
   * stop that, once it runs.
   */
  spared: { ends: CancelTimer | null } | null;
};

/** Runs once, from `begin` to its receipts; one deadline for the tree, not one per level. */
export class Termination {
  readonly #clock: Clock;
  readonly #request: TerminationRequest;
  readonly #members: readonly Member[];
  readonly #byNode = new Map<TreeNode, Member>();
  readonly #receipts = new Map<Member, InterruptReceipt>();
  readonly #startedAt: number;
  readonly receipts: Promise<readonly InterruptReceipt[]>;
  #resolve: (receipts: readonly InterruptReceipt[]) => void = () => {};
  #phase: EscalationPhase;
  /** When the current phase is due to end; before the first, when this was asked for. */
  #phaseDueAt: number;
  #cancelPhase: CancelTimer | null = null;
  #isDone = false;
  #incomplete: number;

  constructor(request: TerminationRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
    this.#phase = request.startPhase;
    this.#startedAt = clock.now();
    this.#phaseDueAt = this.#startedAt;
    this.#members = request.members.map(({ node, want }) => ({
      node,
      want,
      wasOver: node.cell.isOver,
      hadReceive: node.cell.isInReceive,
      wasWaiting: node.cell.lastResult === null && !node.cell.isReceiving,
      isLetEnd: false,
      isComplete: false,
      spared: null,
    }));
    for (const member of this.#members) this.#byNode.set(member.node, member);
    this.#incomplete = this.#members.length;
    this.receipts = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Suspends the intake of the whole tree top-down, then signals every node, then waits for them. */
  begin(): void {
    for (const { node } of this.#members) {
      node.addTermination(this);
      node.cell.suspendIntake();
    }
    const { killFirst } = this.#request;
    if (killFirst !== undefined && !killFirst.cell.isOver) this.#send(killFirst, 'kill');
    this.#advanceAll();
    this.#armPhase();
  }

  /** Something about a node changed: it fell idle, or it is over. */
  changed(node: TreeNode): void {
    const member = this.#byNode.get(node);
    if (member === undefined || this.#isDone) return;
    this.#advance(member);
    // A parent may only have waited for this child.
    const parent = node.parent === null ? undefined : this.#byNode.get(node.parent);
    if (parent !== undefined) this.#advance(parent);
    this.#finishIfDone();
  }

  /** True when the operation ends the node, so that it is not restarted. */
  ends(node: TreeNode): boolean {
    const member = this.#byNode.get(node);
    return member !== undefined && (member.want === 'ended' || node.sent >= strengthOf('stop'));
  }

  wantsEnd(node: TreeNode): boolean {
    return this.#byNode.get(node)?.want === 'ended';
  }

  #advanceAll(): void {
    // In the reverse of the start order, children before their parents (V6).
    for (const member of [...this.#members].reverse()) this.#advance(member);
    this.#finishIfDone();
  }

  #advance(member: Member): void {
    if (member.isComplete) return;
    const { node } = member;
    this.#letEnd(member);
    this.#startOwnGrace(member);
    const phase = member.spared === null ? this.#phase : 'interrupt';
    const signal = nextSignal(this.#viewOf(member), phase);
    if (signal !== null) this.#send(node, signal);
    if (!member.isComplete && isComplete(this.#viewOf(member))) this.#complete(member);
  }

  /** What begins in an actor that is to end is nothing but the rest of its receive. */
  #letEnd(member: Member): void {
    const { node, want, isLetEnd } = member;
    if (isLetEnd || want !== 'ended' || this.#phase !== 'interrupt') return;
    if (!this.#request.endsParked(node.cell)) return;
    member.isLetEnd = true;
    if (node.sent > 0) this.#request.interruptParked(node.cell);
    node.cell.resumeIntake();
  }

  /** An actor that waits for children that do not obey is not ended with them: its answer has their outcomes. */
  #spareWaiting(): void {
    const { onlyWaits } = this.#request;
    for (const member of this.#members) {
      const { node, isComplete, spared } = member;
      if (isComplete || spared !== null || !this.#hasLiveChildren(node)) continue;
      if (onlyWaits(node.cell)) member.spared = { ends: null };
    }
  }

  #startOwnGrace(member: Member): void {
    const { spared, node } = member;
    if (spared === null || spared.ends !== null || this.#hasLiveChildren(node)) return;
    const { interruptGraceMs, stopGraceMs } = this.#request.graces;
    spared.ends = this.#clock.after(Math.max(interruptGraceMs, stopGraceMs), () => {
      member.spared = null;
      this.#advance(member);
      this.#finishIfDone();
    });
  }

  #send(node: TreeNode, signal: StopSignal): void {
    node.sent = Math.max(node.sent, strengthOf(signal));
    this.#request.send(node, signal);
  }

  #viewOf(member: Member): EscalationView {
    const { node, want } = member;
    return {
      want,
      sent: node.sent,
      isIdle: !node.cell.isReceiving && !this.#request.endsParked(node.cell),
      awaitsChildren: node.pendingExit !== null,
      isOver: node.cell.isOver,
      isPassive: node.cell.state.status === 'passivated',
      hasLiveChildren: this.#hasLiveChildren(node),
    };
  }

  #hasLiveChildren(node: TreeNode): boolean {
    for (const child of node.children) {
      if (!child.cell.isOver && this.#byNode.has(child)) return true;
    }
    return false;
  }

  #complete(member: Member): void {
    member.isComplete = true;
    member.spared?.ends?.();
    this.#incomplete -= 1;
    const { node, want, wasOver, hadReceive, wasWaiting } = member;
    const { cell } = node;
    const isInterrupt = this.#request.startPhase === 'interrupt';
    const stage = stageOf({
      wasOver,
      hadReceive,
      wasWaiting,
      isUnresponsive: cell.state.status === 'unresponsive',
      sent: node.sent,
      want,
      // What has no thread obeys an interrupt at once: it is stopped where another would end by itself.
      lastResult: cell.lastResult ?? (isInterrupt ? 'interrupted' : null),
    });
    this.#receipts.set(member, {
      agentId: cell.address.id,
      path: cell.address.path,
      stage,
      elapsedMs: roundedMs(this.#clock.now() - this.#startedAt),
      partial: this.#request.partialOf(cell),
    });
  }

  #armPhase(): void {
    if (this.#isDone || this.#phase === 'kill') return;
    const { interruptGraceMs, stopGraceMs } = this.#request.graces;
    const graceMs = this.#phase === 'interrupt' ? interruptGraceMs : stopGraceMs;
    const now = this.#clock.now();
    this.#phaseDueAt = nextPhaseDueAt({ now, countsFrom: this.#phaseDueAt, graceMs });
    this.#cancelPhase = this.#clock.after(this.#phaseDueAt - now, () => {
      this.#spareWaiting();
      this.#phase = this.#phase === 'interrupt' ? 'stop' : 'kill';
      this.#advanceAll();
      this.#armPhase();
    });
  }

  #finishIfDone(): void {
    if (this.#isDone || this.#incomplete > 0) return;
    this.#isDone = true;
    this.#cancelPhase?.();
    // Children first, so that a parent that resumes finds its children resumed.
    for (const { node } of [...this.#members].reverse()) {
      node.removeTermination(this);
      if (node.terminations.size === 0) node.sent = 0;
      if (!node.cell.isOver) node.cell.resumeIntake();
    }
    this.#resolve(
      this.#members.flatMap((member) => {
        const receipt = this.#receipts.get(member);
        return receipt === undefined ? [] : [receipt];
      }),
    );
  }
}
