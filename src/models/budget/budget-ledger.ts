// Owns the accounts of all budgets and the calls that wait for them. budget.ts decides what fits.
import { TroupeError, unreachable } from '../../base/failures.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import type { BudgetAccount, NearLimit, Spend } from '../../protocol/budget.ts';
import type { ReservationRequest } from '../../protocol/budget-messages.ts';
import {
  type Account,
  carry,
  charge,
  decideReservation,
  nearLimits,
  newlyNear,
  openAccount,
  reserve,
} from './budget.ts';

/** Budget for one call. It is reserved until `charge`. */
export interface Reservation {
  /** Which of the bounds was granted. */
  readonly index: number;
  /** Limits that are nearly used up, of accounts whose models are to be told. */
  readonly near: readonly NearLimit[];
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

/** An account, and those that it is part of and made of. */
type Entry = {
  readonly id: string;
  account: Account;
  readonly outer: Entry | null;
  readonly inner: Set<Entry>;
  readonly queue: CallQueue;
};

/** The calls under one outermost account that wait. */
type CallQueue = {
  /** In the order they came. */
  readonly waiting: Set<Waiter>;
  /** What they wait for: a call that needs one of these waits behind them, so that none starves. */
  lacking: Set<Entry>;
};

type Waiter = {
  readonly entries: readonly Entry[];
  readonly request: ReservationRequest;
  grant(reservation: Reservation): void;
  refuse(error: TroupeError): void;
};

type Decided =
  | { readonly type: 'granted'; readonly reservation: Reservation }
  | { readonly type: 'wait' }
  | { readonly type: 'refused'; readonly error: TroupeError };

/** A budget is nearly used up, by a call of this agent. */
export type BudgetWarning = NearLimit & { readonly agentId: string };

/** What the ledger reports. */
export type BudgetListeners = {
  /** Called once per limit, when four fifths of it are spent. */
  readonly onWarning?: (warning: BudgetWarning) => void;
  /** A call of an agent may take so much from now on. */
  readonly onReserved?: (agentId: string, bound: Spend) => void;
};

/** Reserves an upper bound before each call and settles what it took, in every account that the call is under (V10). */
export class BudgetLedger implements Ledger {
  readonly #entries = new Map<string, Entry>();
  /** Accounts that are kept whether or not they hold any other. */
  readonly #kept = new Set<string>();
  readonly #listeners: BudgetListeners;

  constructor(listeners: BudgetListeners = {}) {
    this.#listeners = listeners;
  }

  /**
   * Resolves when the call fits. Rejects `max_turns`, `budget_tokens` or `budget_cost` when it does not and no open
   * call could still release any, `aborted` with the signal, `activation_ended` once an account of it is forgotten.
   * The signal is looked at only by a call that has to wait.
   */
  reserve(
    request: ReservationRequest,
    call: { readonly signal: AbortSignal },
  ): Promise<Reservation> {
    const entries = this.#entriesOf(request.accounts);
    const verdict = this.#decide(entries, request);
    if (verdict.type === 'granted') return Promise.resolve(verdict.reservation);
    if (verdict.type === 'refused') return Promise.reject(verdict.error);
    return this.#wait(entries, request, call.signal);
  }

  /** Keeps what is spent of an outermost account until `release`, also while nothing is under it. */
  keep(id: string): void {
    this.#kept.add(id);
  }

  /** The account goes with the last one that it holds. */
  release(id: string): void {
    this.#kept.delete(id);
    this.#dropIfUnused(this.#entries.get(id) ?? null);
  }

  /** Forgets an account of a tree that has ended, with all that it holds; calls that wait for it are refused. */
  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { outer, queue } = entry;
    this.#drop(entry);
    outer?.inner.delete(entry);
    for (const waiter of queue.waiting) {
      if (!waiter.entries.includes(entry)) continue;
      queue.waiting.delete(waiter);
      waiter.refuse(new TroupeError('activation_ended', 'the tree of this call has ended'));
    }
    this.#serve(queue);
    this.#dropIfUnused(outer);
  }

  /** Counts what an earlier process has taken of these accounts. */
  carry(accounts: readonly BudgetAccount[], spent: Spend): void {
    for (const entry of this.#entriesOf(accounts)) entry.account = carry(entry.account, spent);
  }

  /** What was spent of an account so far, or null when it is unknown. */
  spent(id: string): Spend | null {
    return this.#entries.get(id)?.account.spent ?? null;
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.id);
    for (const each of entry.inner) this.#drop(each);
  }

  /** Only a job is outermost and holds trees: it holds none before its first call and after its last one. */
  #dropIfUnused(entry: Entry | null): void {
    if (entry === null || entry.account.scope !== 'job') return;
    if (entry.inner.size === 0 && !this.#kept.has(entry.id)) this.#drop(entry);
  }

  #entriesOf(accounts: readonly BudgetAccount[]): readonly Entry[] {
    const entries: Entry[] = [];
    let outer: Entry | null = null;
    for (const { id, scope, limits } of accounts) {
      const known = this.#entries.get(id);
      // The limits are those of the newest bind; what was spent is kept.
      if (known !== undefined) known.account = { ...known.account, limits };
      const entry: Entry = known ?? {
        id,
        account: openAccount(scope, limits),
        outer,
        inner: new Set(),
        queue: outer?.queue ?? { waiting: new Set(), lacking: new Set() },
      };
      this.#entries.set(id, entry);
      outer?.inner.add(entry);
      entries.push(entry);
      outer = entry;
    }
    return entries;
  }

  #wait(
    entries: readonly Entry[],
    request: ReservationRequest,
    signal: AbortSignal,
  ): Promise<Reservation> {
    const queue = queueOf(entries);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        entries,
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
        queue.waiting.delete(waiter);
        reject(abortError());
        // A call behind it may fit.
        this.#serve(queue);
      };
      if (signal.aborted) {
        reject(abortError());
        this.#serve(queue);
        return;
      }
      const stop = whenAborted(signal, onAbort);
      queue.waiting.add(waiter);
    });
  }

  #serve(queue: CallQueue): void {
    queue.lacking = new Set();
    for (const waiter of queue.waiting) {
      const verdict = this.#decide(waiter.entries, waiter.request);
      if (verdict.type === 'wait') continue;
      queue.waiting.delete(waiter);
      if (verdict.type === 'granted') waiter.grant(verdict.reservation);
      else waiter.refuse(verdict.error);
    }
  }

  #decide(entries: readonly Entry[], { agentId, bounds }: ReservationRequest): Decided {
    const { lacking } = queueOf(entries);
    if (entries.some((entry) => lacking.has(entry))) return { type: 'wait' };
    const verdict = decideReservation(
      entries.map(({ account }) => account),
      bounds,
    );
    switch (verdict.type) {
      case 'wait':
        for (const [at, entry] of entries.entries()) {
          if (verdict.lacking.includes(at)) lacking.add(entry);
        }
        return verdict;
      case 'refused': {
        const { code, message, scope, limit } = verdict;
        return {
          type: 'refused',
          error: new TroupeError(code, message, { detail: { scope, limit } }),
        };
      }
      case 'granted': {
        const { index } = verdict;
        const bound = bounds[index] ?? bounds[0];
        const warned = entries.filter(({ account }) => account.limits.warnModel === true);
        const near = warned.flatMap(({ account }) => nearLimits(account));
        for (const entry of entries) entry.account = reserve(entry.account, bound);
        this.#listeners.onReserved?.(agentId, bound);
        const charging = { entries, agentId, bound };
        return {
          type: 'granted',
          reservation: { index, near, charge: this.#chargeOnce(charging) },
        };
      }
      default:
        return unreachable(verdict);
    }
  }

  #chargeOnce(call: {
    readonly entries: readonly Entry[];
    readonly agentId: string;
    readonly bound: Spend;
  }): (actual: Spend) => void {
    const { entries, agentId, bound } = call;
    let isOpen = true;
    return (actual) => {
      if (!isOpen) return;
      isOpen = false;
      // The innermost first: its own limit is said before that of what holds it.
      for (const entry of [...entries].reverse()) {
        const before = entry.account;
        entry.account = charge(before, bound, actual);
        for (const near of newlyNear(before, entry.account)) {
          this.#listeners.onWarning?.({ ...near, agentId });
        }
      }
      this.#serve(queueOf(entries));
    };
  }
}

/** A call that is under nothing waits for nothing. */
function queueOf([outermost]: readonly Entry[]): CallQueue {
  return outermost?.queue ?? { waiting: new Set(), lacking: new Set() };
}

function abortError(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted while it waited for its budget');
}
