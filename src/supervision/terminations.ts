// Owns how interrupts, stops and kills run: one operation over the actors it affects, each signal to its cell.
import type { Cell } from '../actor/cell.ts';
import type { ExitReason } from '../actor/exit.ts';
import type { InterruptReceipt } from '../actor/ref.ts';
import type { StopSignal } from '../actor/signal.ts';
import type { Clock, ProcessRef } from '../base/clock.ts';
import type { EscalationPhase, Goal } from './escalation.ts';
import { affectedActors } from './scope.ts';
import { type GracePeriods, Termination } from './termination.ts';
import type { TreeNode } from './tree-node.ts';

/** What an operation is for. */
export type Why = {
  readonly reason: string;
  /** The exit reason of actors that it ends. */
  readonly exitReason: ExitReason;
  readonly graces?: Partial<GracePeriods> | undefined;
  /** Killed at once; the others, its descendants, are stopped for losing it. */
  readonly killFirst?: TreeNode;
};

export type TerminationsOptions = {
  readonly clock: Clock;
  readonly processRef: ProcessRef;
  readonly graces: GracePeriods;
  readonly partialOf: (cell: Cell) => unknown;
  readonly onlyWaits: (cell: Cell) => boolean;
  readonly endsParked: (cell: Cell) => boolean;
  /** Has the receive of such an actor ended. */
  readonly interruptParked: (cell: Cell, reason: string) => void;
};

export class Terminations {
  readonly #options: TerminationsOptions;

  constructor(options: TerminationsOptions) {
    this.#options = options;
  }

  /** Runs one operation; resolves with its receipts after the last actor has settled (S4). */
  run(
    members: readonly { readonly node: TreeNode; readonly want: Goal }[],
    startPhase: EscalationPhase,
    why: Why,
  ): Promise<readonly InterruptReceipt[]> {
    const { clock, processRef, graces, partialOf, onlyWaits, endsParked } = this.#options;
    const termination = new Termination(
      {
        members,
        startPhase,
        killFirst: why.killFirst,
        graces: { ...graces, ...why.graces },
        send: (node, signal) => {
          if (signal === 'interrupt' && endsParked(node.cell)) {
            this.#options.interruptParked(node.cell, why.reason);
          } else send(node, signal, why);
        },
        partialOf,
        onlyWaits,
        endsParked,
        interruptParked: (cell) => this.#options.interruptParked(cell, why.reason),
      },
      clock,
    );
    termination.begin();
    return processRef.during(termination.receipts);
  }

  /** Stops children of an actor that has ended or is about to (V5). */
  stopChildren(children: readonly TreeNode[]): Promise<readonly InterruptReceipt[]> {
    const reachable = children.flatMap((child) => affectedActors(child, 'agent'));
    const members = reachable.filter((member) => !member.node.cell.isOver);
    return this.run(members, 'stop', { reason: 'its parent has ended', exitReason: 'parent_exit' });
  }
}

function send(node: TreeNode, signal: StopSignal, why: Why): void {
  const { cell } = node;
  const isChildOfKilled = why.killFirst !== undefined && node !== why.killFirst;
  const exitReason = isChildOfKilled ? 'parent_exit' : why.exitReason;
  if (cell.state.status === 'ended' && signal !== 'interrupt') {
    // Between two activations there is none to signal: the operation cancels the restart.
    node.group?.leave(node);
    if (node.pendingExit === null) cell.finish({ reason: exitReason });
    return;
  }
  switch (signal) {
    case 'interrupt':
      cell.interrupt(why.reason);
      break;
    case 'stop':
      cell.stop(exitReason);
      break;
    case 'kill':
      // What was killed because an interrupt was ignored ended as killed, not as interrupted.
      cell.kill(exitReason === 'interrupted' ? 'killed' : exitReason);
      break;
  }
}
