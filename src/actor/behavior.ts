// Owns what an actor is made of: a behaviour, its `Next`, and the `Self` it is handed.
import type { Address } from './address.ts';

/** What follows a receive: the next state, or the end of the actor. */
export type Next<State> =
  | { readonly type: 'next'; readonly state: State }
  | { readonly type: 'stop' };

const stopNow: Next<never> = { type: 'stop' };

/** Goes on with `state`. */
export function next<State>(state: State): Next<State> {
  return { type: 'next', state };
}

/** Ends the actor normally after this receive; queued mail becomes dead letters. */
export function stop(): Next<never> {
  return stopNow;
}

/** How long an `ask` waits for its reply, or an `offer` for space. */
export type AskOptions = {
  /** Milliseconds, finite; an `ask` needs more than 0. */
  readonly timeoutMs: number;
};

/** `accepted`: it is in the mailbox. `full`: there was no space in time. `dead`: the receiver has ended. */
export type OfferResult = 'accepted' | 'full' | 'dead';

/**
 * After which ends an actor is restarted: `permanent` after a normal end and a failure, `transient` after a failure,
 * `temporary` never. An end by interrupt, stop, kill, parent or restart limit is never undone.
 */
export type RestartType = 'permanent' | 'transient' | 'temporary';

/** How a child is started from inside an actor. */
export type ChildOptions = {
  /** Unique among live siblings. Default: the child's id. */
  readonly name?: string;
  /** Passed to the child's `start`; plain data. */
  readonly args?: unknown;
  /** Default `temporary`. */
  readonly restart?: RestartType;
  /** `run`: ends with the parent's current receive; `session` (default): ends with the parent. */
  readonly scope?: 'run' | 'session';
  /** An abnormal exit of the child kills the parent too. Default false. */
  readonly linked?: boolean;
};

/** An actor's view of itself during one activation; all but `interrupted` throw `activation_ended` after it. */
export interface Self {
  /** Where others reach this actor; may be sent in messages. */
  readonly address: Address;
  /** Its names from the root down, such as `/orders/worker`. */
  readonly path: string;
  /** The number of this incarnation, from 1; each restart begins a new one. */
  readonly incarnation: number;
  /** The sender of the message in hand; null for the host program. */
  readonly sender: Address | null;
  /** What the last `commit` of an earlier activation kept; undefined in a first activation. */
  readonly snapshot: unknown;
  /** Aborted by interrupt and stop, with a `TroupeError` as its reason; a fresh one per receive. */
  readonly signal: AbortSignal;
  /** True once an interrupt or stop arrived; works in a loop that never awaits. */
  interrupted(): boolean;
  /** Sends and forgets. Throws `not_serializable` or `outbox_full`; a refusal is a dead letter. */
  tell(to: Address, message: unknown): void;
  /** Sends, waiting up to `timeoutMs` for space; resolves `full` after that, `dead` when the receiver has ended. */
  offer(to: Address, message: unknown, options: AskOptions): Promise<OfferResult>;
  /** Sends and awaits the reply. Rejects `ask_timeout`, `actor_terminated`, `deadlock`, or the receiver's failure. */
  ask(to: Address, message: unknown, options: AskOptions): Promise<unknown>;
  /** Answers the ask in hand, once; without an ask it does nothing. */
  reply(value: unknown): void;
  /** Answers the ask in hand with a failure: the asker's promise rejects, this actor goes on. */
  refuse(reason: unknown): void;
  /** Takes the right to answer the ask in hand out of this receive, to be used once, later. */
  takeReply(): (value: unknown) => void;
  /**
   * Starts a child on a thread of the same profile. Resolves when it has started; rejects `deadlock` when every
   * thread is used by actors that wait for it.
   */
  spawn(module: URL | string, options?: ChildOptions): Promise<Address>;
  /** Stops itself or an actor below it; any other actor is left alone. */
  stop(actor: Address): void;
  /** Asks for one `terminated` notice when `actor` ends, at once if it has. */
  watch(actor: Address): void;
  /** Ends the watch of `actor`; a notice that was sent already still arrives. */
  unwatch(actor: Address): void;
  /** Sets the message in hand aside; bounded by 256, then throws `stash_overflow`. */
  stash(): void;
  /** Puts stashed messages back before the next one, in their order. */
  unstashAll(): void;
  /** Stores a plain snapshot with the supervisor; later activations read it from `snapshot`. */
  commit(snapshot: unknown): void;
  /** Sends this actor a message after `delayMs` on the supervisor's clock; returns its cancel. */
  after(delayMs: number, message: unknown): () => void;
  /** Emits a plain event to the host's observer of this actor, in order with everything else the actor sends. */
  publish(event: unknown): void;
  /** Sends buffered tells and events now; otherwise they go when the code next awaits or returns. */
  flush(): void;
}

/** State and the function that takes one message at a time. */
export type Behavior<State = unknown, Message = unknown, Args = unknown> = {
  readonly kind: 'behavior';
  /** Makes the first state of each incarnation. What it throws fails the spawn or the restart. */
  start(args: Args, self: Self): State | Promise<State>;
  /** Processes one message; the next one waits for its end. What it throws crashes the actor. */
  receive(state: State, message: Message, self: Self): Next<State> | Promise<Next<State>>;
  /** Takes a control message of the supervisor, ahead of mail and in the middle of a receive. */
  control?(message: unknown, self: Self): void;
  /** Runs when the actor stops in good order; never after a crash or a kill. */
  stopped?(state: State, self: Self): void | Promise<void>;
};

/** Any behaviour, as hosts run it: the spawning code is responsible for its start arguments and messages. */
export type AnyBehavior = Behavior<never, never, never> | Behavior;

/** Declares a behaviour; a module that is spawned by URL exports one as its default. */
export function behavior<State, Message = unknown, Args = unknown>(
  definition: Omit<Behavior<State, Message, Args>, 'kind'>,
): Behavior<State, Message, Args> {
  return { kind: 'behavior', ...definition };
}
