// Owns what follows the end of an activation: a delayed restart, alone or with siblings, or escalation (V2, V3).
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { Clock } from '../base/clock.ts';
import { backoffDelay } from './backoff.ts';
import { recordRestart } from './intensity.ts';
import { affectedBy, shouldRestart } from './restart.ts';
import { RestartGroup } from './restart-group.ts';
import type { Terminations } from './terminations.ts';
import { isBeingEnded, isWantedEnded, type TreeNode } from './tree-node.ts';

export type RestartsOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly terminations: Terminations;
  /** How long a sibling that shares a restart may take to stop. */
  readonly stopGraceMs: number;
  readonly onOutlived: (cell: Cell, exit: Exit) => void;
  readonly onRestarting: (cell: Cell, exit: Exit, delayMs: number) => void;
};

export class Restarts {
  readonly #options: RestartsOptions;

  constructor(options: RestartsOptions) {
    this.#options = options;
  }

  /** An activation of `node` has ended and its children are gone: it starts again, or it is over. */
  decide(node: TreeNode, exit: Exit): void {
    const isEnding = isBeingEnded(node);
    if (node.group !== null && !isEnding) {
      // It was stopped to start again with a sibling.
      node.group.check();
      return;
    }
    node.group?.leave(node);
    const isFirstStart = exit.reason === 'spawn_failed' && node.cell.incarnation === 1;
    if (node.spec.survivesCrash && !isFirstStart && !isWantedEnded(node)) {
      node.cell.passivation.rest(exit);
      this.#options.onOutlived(node.cell, exit);
      return;
    }
    if (isEnding || isFirstStart || !shouldRestart(node.spec.restart, exit.reason)) {
      node.cell.finish(exit);
      return;
    }
    const now = this.#options.clock.now();
    const { history, decision } = recordRestart(node.restarts, now, node.spec.intensity);
    node.restarts = history;
    if (decision === 'give_up') this.#escalate(node, exit);
    else this.#restartGroup(node, exit);
  }

  /** Stops the siblings that share the restart, newest first, and starts all again in start order (V2, V6). */
  #restartGroup(failed: TreeNode, exit: Exit): void {
    const siblings = [...(failed.parent?.children ?? [failed])];
    const strategy = failed.parent?.spec.strategy ?? 'one_for_one';
    const members = affectedBy(strategy, siblings, failed).filter(
      (member) =>
        member === failed ||
        (member.spec.restart !== 'temporary' && member.group === null && !member.cell.isOver),
    );
    const group = new RestartGroup(members);
    const delayMs = backoffDelay(
      failed.restarts.length,
      failed.spec.backoff,
      this.#options.random(),
    );
    this.#options.onRestarting(failed.cell, exit, delayMs);
    group.arm((fire) => this.#options.clock.after(delayMs, fire));
    for (const member of [...members].reverse()) {
      if (member !== failed) this.#stopForGroup(member, group);
    }
    group.armKill((fire) => this.#options.clock.after(this.#options.stopGraceMs, fire));
  }

  /** Stops a member that will start again, its children first (V6). */
  #stopForGroup(member: TreeNode, group: RestartGroup): void {
    if (member.children.size === 0) {
      member.cell.stop('stopped');
      return;
    }
    void this.#options.terminations.stopChildren([...member.children]).then(() => {
      if (member.group === group) member.cell.stop('stopped');
    });
  }

  /** One restart too many: the child ends, and its parent crashes, so that the next level decides (V2). */
  #escalate(node: TreeNode, exit: Exit): void {
    const { parent } = node;
    node.cell.finish({ ...exit, reason: 'restart_intensity' });
    if (parent === null || parent.pendingExit !== null) return;
    parent.cell.kill('crashed');
  }
}
