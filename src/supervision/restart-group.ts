// Owns actors that start again together: the failed one and the siblings its parent's strategy takes along (V2).
import type { CancelTimer } from '../base/clock.ts';
import type { TreeNode } from './tree-node.ts';

/** Waits until its delay is over and every member's activation has ended, then restarts them in start order. */
export class RestartGroup {
  readonly #members: readonly TreeNode[];
  #isDue = false;
  #cancel: CancelTimer | null = null;
  #cancelKill: CancelTimer | null = null;

  constructor(members: readonly TreeNode[]) {
    this.#members = members;
    for (const member of members) member.group = this;
  }

  /** Starts the delay: a message to oneself, so that a shutdown can come between (V3). */
  arm(after: (fire: () => void) => CancelTimer): void {
    this.#cancel = after(() => {
      this.#isDue = true;
      this.check();
    });
  }

  /** Kills, when the grace period is over, the members that were asked to stop and have not (S3). */
  armKill(after: (fire: () => void) => CancelTimer): void {
    if (this.#remaining().every(hasEnded)) return;
    this.#cancelKill = after(() => {
      for (const member of this.#remaining()) if (!hasEnded(member)) member.cell.kill('killed');
    });
  }

  /** A member's activation ended, or a member left. */
  check(): void {
    const remaining = this.#remaining();
    const isComplete = remaining.every((member) => hasEnded(member) && member.pendingExit === null);
    if (isComplete) this.#cancelKill?.();
    if (remaining.length === 0) this.#cancel?.();
    if (!this.#isDue || !isComplete) return;
    // All are free before the first starts: should its start fail, the next group takes them along again.
    for (const member of remaining) member.group = null;
    for (const member of remaining) if (member.group === null) member.cell.restart();
  }

  #remaining(): readonly TreeNode[] {
    return this.#members.filter((member) => member.group === this);
  }

  leave(member: TreeNode): void {
    if (member.group !== this) return;
    member.group = null;
    this.check();
  }
}

function hasEnded({ cell }: TreeNode): boolean {
  return cell.state.status === 'ended';
}
