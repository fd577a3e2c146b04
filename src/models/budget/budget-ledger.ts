// Owns the accounts of every tree and the calls that wait for budget. budget.ts decides what fits.
import { TroupeError, unreachable } from '../../base/failures.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import type { Spend } from '../../protocol/budget.ts';
import type { ReservationRequest } from '../../protocol/budget-messages.ts';
import {
  type Account,
  charge,
  decideReservation,
  type NearLimit,
  newlyNear,
  openAccount,
  reserve,
} from './budget.ts';

/** Budget for one call. It is reserved until `charge`. */
export interface Reservation {
  /** Which of the bounds was granted. */
  readonly index: number;
  /** Releases the reservation and charges what the call really took; only the first call counts. */
  charge(actual: Spend): void;
}

/** Where budget for calls is reserved: the ledger itself, or a client of it. */
export interface Ledger {
  reserve(
    request: ReservationRequest,
    call: { readonly signal: AbortSignal },
  ): Promise<Reservation>;
}

type Tree = {
  account: Account;
  readonly agents: Map<string, Account>;
  /** In the order they came; no call overtakes another, so none starves. */
  readonly waiting: Set<Waiter>;
};

type Waiter = {
  readonly request: ReservationRequest;
  grant(reservation: Reservation): void;
  refuse(error: TroupeError): void;
};

type Decided =
  | { readonly type: 'granted'; readonly reservation: Reservation }
  | { readonly type: 'wait' }
  | { readonly type: 'refused'; readonly error: TroupeError };

/** A budget is nearly used up: that of an agent, or of its tree. */
export type BudgetWarning = NearLimit & {
  readonly scope: 'agent' | 'tree';
  readonly agentId: string;
};

/** Reserves an upper bound before each call and settles what it took, per agent and per tree (V10). */
export class BudgetLedger implements Ledger {
  readonly #trees = new Map<string, Tree>();
  readonly #onWarning: (warning: BudgetWarning) => void;

  /** `onWarning` is called once per limit, when four fifths of it are spent. */
  constructor(onWarning: (warning: BudgetWarning) => void = () => {}) {
    this.#onWarning = onWarning;
  }

  /**
   * Resolves when the call fits. Rejects `max_turns`, `budget_tokens` or `budget_cost` when it does not and no open
   * call of the tree could still release any, `aborted` with the signal, `activation_ended` once the tree is forgotten.
   * The signal is looked at only by a call that has to wait.
   */
  reserve(
    request: ReservationRequest,
    call: { readonly signal: AbortSignal },
  ): Promise<Reservation> {
    const tree = this.#treeOf(request);
    if (tree.waiting.size === 0) {
      const verdict = this.#decide(tree, request);
      if (verdict.type === 'granted') return Promise.resolve(verdict.reservation);
      if (verdict.type === 'refused') return Promise.reject(verdict.error);
    }
    return this.#wait(tree, request, call.signal);
  }

  /** Forgets a tree that has ended; its waiting calls are refused. */
  forget(treeId: string): void {
    const tree = this.#trees.get(treeId);
    if (tree === undefined) return;
    this.#trees.delete(treeId);
    for (const waiter of tree.waiting) {
      waiter.refuse(new TroupeError('activation_ended', 'the tree of this call has ended'));
    }
    tree.waiting.clear();
  }

  /** What a tree has spent so far, or null when it is unknown. */
  spent(treeId: string): Spend | null {
    return this.#trees.get(treeId)?.account.spent ?? null;
  }

  #treeOf({ tree: id, agentId, budget }: ReservationRequest): Tree {
    let tree = this.#trees.get(id);
    if (tree === undefined) {
      tree = { account: openAccount({}), agents: new Map(), waiting: new Set() };
      this.#trees.set(id, tree);
    }
    // The limits are those of the newest bind; what was spent is kept.
    tree.account = { ...tree.account, limits: budget.tree ?? {} };
    const agent = tree.agents.get(agentId) ?? openAccount({});
    tree.agents.set(agentId, { ...agent, limits: budget.agent ?? {} });
    return tree;
  }

  #wait(tree: Tree, request: ReservationRequest, signal: AbortSignal): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        request,
        grant: (reservation) => {
          stop();
          resolve(reservation);
        },
        refuse: (error) => {
          stop();
          reject(error);
        },
      };
      const onAbort = (): void => {
        tree.waiting.delete(waiter);
        reject(abortError());
        // A call behind it may fit.
        this.#serve(tree);
      };
      if (signal.aborted) {
        reject(abortError());
        return;
      }
      const stop = whenAborted(signal, onAbort);
      tree.waiting.add(waiter);
    });
  }

  #serve(tree: Tree): void {
    for (const waiter of tree.waiting) {
      const verdict = this.#decide(tree, waiter.request);
      if (verdict.type === 'wait') return;
      tree.waiting.delete(waiter);
      if (verdict.type === 'granted') waiter.grant(verdict.reservation);
      else waiter.refuse(verdict.error);
    }
  }

  #decide(tree: Tree, { agentId, bounds }: ReservationRequest): Decided {
    const agent = tree.agents.get(agentId) ?? openAccount({});
    const verdict = decideReservation([agent, tree.account], bounds);
    switch (verdict.type) {
      case 'wait':
        return verdict;
      case 'refused':
        return { type: 'refused', error: new TroupeError(verdict.code, verdict.message) };
      case 'granted': {
        const { index } = verdict;
        const bound = bounds[index] ?? bounds[0];
        tree.account = reserve(tree.account, bound);
        tree.agents.set(agentId, reserve(agent, bound));
        return { type: 'granted', reservation: this.#reservation(tree, agentId, { bound, index }) };
      }
      default:
        return unreachable(verdict);
    }
  }

  #reservation(
    tree: Tree,
    agentId: string,
    { bound, index }: { readonly bound: Spend; readonly index: number },
  ): Reservation {
    let isOpen = true;
    return {
      index,
      charge: (actual) => {
        if (!isOpen) return;
        isOpen = false;
        const { account } = tree;
        tree.account = charge(account, bound, actual);
        const agent = tree.agents.get(agentId) ?? openAccount({});
        const charged = charge(agent, bound, actual);
        tree.agents.set(agentId, charged);
        for (const near of newlyNear(agent, charged)) {
          this.#onWarning({ ...near, scope: 'agent', agentId });
        }
        for (const near of newlyNear(account, tree.account)) {
          this.#onWarning({ ...near, scope: 'tree', agentId });
        }
        this.#serve(tree);
      },
    };
  }
}

function abortError(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted while it waited for its budget');
}
