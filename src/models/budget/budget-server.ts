// Owns the connection of the gateway's thread to the one ledger on the host: a tree may mix models of both places.
import { type Failure, TroupeError, toFailure } from '../../base/failures.ts';
import { abortablePromise } from '../../base/with-abort.ts';
import type { NearLimit, Spend } from '../../protocol/budget.ts';
import type {
  BudgetCommand,
  BudgetReply,
  ReservationRequest,
} from '../../protocol/budget-messages.ts';
import type { Ledger, Reservation } from './budget-ledger.ts';

type Asked = {
  grant(index: number, near: readonly NearLimit[]): void;
  refuse(failure: Failure): void;
};

/** The ledger as the thread sees it; the same promises, one message further away. */
export class BudgetClient implements Ledger {
  readonly #send: (command: BudgetCommand) => void;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;

  constructor(send: (command: BudgetCommand) => void) {
    this.#send = send;
  }

  reserve(
    request: ReservationRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Reservation> {
    this.#lastId += 1;
    const id = this.#lastId;
    if (signal.aborted) return Promise.reject(unbudgeted());
    const reserved = abortablePromise<Reservation>(
      signal,
      (resolve, reject) => {
        this.#asked.set(id, {
          grant: (index, near) => resolve({ index, near, charge: this.#settleOnce(id) }),
          refuse: (failure) => reject(TroupeError.from(failure)),
        });
        return () => this.#asked.delete(id);
      },
      () => {
        this.#send({ type: 'withdraw', id });
        return unbudgeted();
      },
    );
    this.#send({ type: 'reserve', id, request });
    return reserved;
  }

  /** An answer to a withdrawn request is ignored: the server has already taken the grant back. */
  receive(reply: BudgetReply): void {
    const asked = this.#asked.get(reply.id);
    if (reply.type === 'granted') asked?.grant(reply.index, reply.near);
    else asked?.refuse(reply.failure);
  }

  #settleOnce(id: number): (actual: Spend) => void {
    let isOpen = true;
    return (actual) => {
      if (!isOpen) return;
      isOpen = false;
      this.#send({ type: 'settle', id, actual });
    };
  }
}

type Open =
  | { readonly status: 'waiting'; readonly controller: AbortController }
  | { readonly status: 'granted'; readonly reservation: Reservation; readonly bound: Spend };

const nothing: Spend = { turns: 0, tokens: 0, costUsd: 0 };

/** The host's side: serves one gateway thread after another. */
export class BudgetServer {
  readonly #ledger: Ledger;
  readonly #send: (reply: BudgetReply) => void;
  #open = new Map<number, Open>();

  constructor(ledger: Ledger, send: (reply: BudgetReply) => void) {
    this.#ledger = ledger;
    this.#send = send;
  }

  receive(command: BudgetCommand): void {
    const open = this.#open.get(command.id);
    switch (command.type) {
      case 'reserve':
        this.#reserve(command.id, command.request);
        return;
      case 'withdraw':
        this.#open.delete(command.id);
        if (open?.status === 'waiting') open.controller.abort();
        else open?.reservation.charge(nothing);
        return;
      case 'settle':
        this.#open.delete(command.id);
        if (open?.status === 'granted') open.reservation.charge(command.actual);
        return;
    }
  }

  /**
   * The thread is lost. Its open reservations are charged in full, because the provider may have billed them. They
   * count as no turn: no answer came of them.
   */
  loseAll(): void {
    const lost = this.#open;
    this.#open = new Map();
    for (const open of lost.values()) {
      if (open.status === 'waiting') open.controller.abort();
    }
    for (const open of lost.values()) {
      if (open.status === 'granted') open.reservation.charge({ ...open.bound, turns: 0 });
    }
  }

  #reserve(id: number, request: ReservationRequest): void {
    const controller = new AbortController();
    const { signal } = controller;
    const book = this.#open;
    book.set(id, { status: 'waiting', controller });
    this.#ledger.reserve(request, { signal }).then(
      (reservation) => {
        if (signal.aborted || book !== this.#open) {
          reservation.charge(nothing);
          return;
        }
        const bound = request.bounds[reservation.index] ?? request.bounds[0];
        book.set(id, { status: 'granted', reservation, bound });
        const { index, near } = reservation;
        this.#send({ type: 'granted', id, index, near });
      },
      (error: unknown) => {
        // A withdrawn or lost request waits for no answer.
        if (signal.aborted || book !== this.#open) return;
        book.delete(id);
        this.#send({ type: 'refused', id, failure: toFailure(error, 'internal') });
      },
    );
  }
}

function unbudgeted(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted before it had its budget');
}
