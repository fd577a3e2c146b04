// Owns an agent's way to its model over the activations of its runs: one conversation, a token for each activation, and the
// answers that come while it has no thread (W9); what streams comes here wherever its run is.
import { randomUUID } from 'node:crypto';
import { type Failure, failure } from '../base/failures.ts';
import type { Metered, MeterReader } from '../models/budget/meter.ts';
import type { BudgetAccount } from '../protocol/budget.ts';
import type { ModelBinding } from '../protocol/model-binding.ts';
import type {
  FromGateway,
  StreamedDelta,
  ToGateway,
  ToSupervisor,
} from '../protocol/model-messages.ts';
import type { ModelConnection } from '../threads/model-connection.ts';

type ModelRequestMessage = Extract<ToGateway, { readonly type: 'model_request' }>;

/** A request with the whole conversation; the gateway has the first `from` messages of it. */
export type SupervisorRequest = Pick<
  ModelRequestMessage,
  'turn' | 'from' | 'messages' | 'toolChoice'
>;

/** How a gateway is reached: the one on the host, or that in its thread. */
export type ModelRoute = {
  /** Lets a token in; of a conversation that it knows, in the place of the token before. */
  connect(binding: ModelBinding): ModelConnection;
  /** Changes what a token is bound to; null when that takes effect at once. */
  rebind(binding: ModelBinding): Promise<void> | null;
  /** Asks in the name of a run that has no thread; `answer` receives what comes back where it comes to the host alone. */
  ask(
    conversation: string,
    message: ModelRequestMessage,
    answer: (message: FromGateway) => void,
  ): void;
  /** The gateway that the connection led to is lost, with all that it knew. */
  isLost(connection: ModelConnection): boolean;
  revoke(binding: ModelBinding): void;
  abort(binding: ModelBinding): void;
  end(binding: ModelBinding): void;
};

/** What comes to the supervisor. The answer to a call whose asker has left its thread is kept until it is seen that it left. */
export class SupervisorAnswers {
  readonly #onDelta: (delta: StreamedDelta) => void;
  #early: FromGateway[] = [];
  #onMessage: ((message: FromGateway) => void) | null = null;
  /** A call is in flight that nothing in a thread waits for. */
  #isAsking = false;

  constructor(onDelta: (delta: StreamedDelta) => void) {
    this.#onDelta = onDelta;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  receive(message: ToSupervisor): void {
    if (message.type === 'model_delta') this.#onDelta(message);
    else if (this.#onMessage === null) this.#early.push(message);
    else {
      this.#isAsking = false;
      this.#onMessage(message);
    }
  }

  /** The gateway is lost: a call that it was to answer fails. */
  lose(cause: Failure): void {
    if (this.#isAsking) this.receive({ type: 'model_failed', callId: 0, failure: cause });
  }

  open(isAsking: boolean, onMessage: (message: FromGateway) => void): readonly FromGateway[] {
    const early = this.#early;
    this.#early = [];
    this.#onMessage = onMessage;
    this.#isAsking = isAsking && early.length === 0;
    return early;
  }

  close(): void {
    this.#early = [];
    this.#onMessage = null;
    this.#isAsking = false;
  }
}

export class AgentModel {
  #binding: ModelBinding;
  #connection: ModelConnection;
  readonly #route: ModelRoute;
  readonly #reader: MeterReader;
  readonly #answers: SupervisorAnswers;
  readonly #byConversation: Map<string, SupervisorAnswers>;
  #isSuspended = false;
  /** A thread has the token. */
  #isTokenUsed = false;
  #lastCall = 0;

  constructor(facts: {
    readonly binding: ModelBinding;
    readonly route: ModelRoute;
    readonly reader: MeterReader;
    /** Where it is looked up what comes to the supervisor, by conversation. */
    readonly answers: Map<string, SupervisorAnswers>;
    readonly onDelta: (delta: StreamedDelta) => void;
  }) {
    this.#binding = facts.binding;
    this.#route = facts.route;
    this.#reader = facts.reader;
    this.#answers = new SupervisorAnswers(facts.onDelta);
    this.#byConversation = facts.answers;
    this.#byConversation.set(this.#conversation, this.#answers);
    this.#connection = this.#route.connect(this.#binding);
  }

  /** The way of its current activation. */
  get connection(): ModelConnection {
    return this.#connection;
  }

  /** Counts its calls under other budgets from now on; null when that takes effect at once. */
  openBudget(accounts: readonly BudgetAccount[]): Promise<void> | null {
    if (accounts.length === 0 && this.#binding.accounts.length === 0) return null;
    this.#binding = { ...this.#binding, accounts };
    return this.#route.rebind(this.#binding);
  }

  /** What its calls took since this was asked last, as the gateway counted it; null for nothing. */
  spent(): Metered | null {
    return this.#reader.take();
  }

  /**
   * The activation has left its thread in the middle of a run; with `isAsking` a call is in flight. Returns what that call
   * was answered meanwhile; else its answer goes to `onMessage`.
   */
  suspend(isAsking: boolean, onMessage: (message: FromGateway) => void): readonly FromGateway[] {
    this.#isSuspended = true;
    // A call in flight has revoked the token on its own way, behind its request.
    if (!isAsking) this.#route.revoke(this.#binding);
    const early = this.#answers.open(isAsking, onMessage);
    const isDue = isAsking && early.length === 0;
    if (!isDue || !this.#route.isLost(this.#connection)) return early;
    this.#answers.close();
    return [...early, { type: 'model_failed', callId: 0, failure: lost }];
  }

  /** Asks in the name of a run that has no thread; its answer goes to `onMessage`. */
  ask(
    { messages, from, ...request }: SupervisorRequest,
    onMessage: (message: FromGateway) => void,
  ): void {
    const isLost = this.#route.isLost(this.#connection);
    // A thread has had its token, or the gateway has forgotten what it knew.
    if (this.#isTokenUsed || isLost) this.#renewToken();
    this.#isSuspended = true;
    this.#answers.open(true, onMessage);
    const first = isLost ? 0 : from;
    const { token } = this.#binding;
    this.#lastCall += 1;
    const asked = { token, callId: this.#lastCall, from: first, messages: messages.slice(first) };
    this.#route.ask(this.#conversation, { type: 'model_request', ...request, ...asked }, (answer) =>
      this.#answers.receive(answer),
    );
  }

  /** The next activation goes on with the conversation, under a token of its own. */
  renew(): void {
    if (this.#isSuspended) {
      this.#isSuspended = false;
      this.#answers.close();
      this.#renewToken();
    }
    this.#isTokenUsed = true;
  }

  #renewToken(): void {
    this.#isTokenUsed = false;
    this.#binding = { ...this.#binding, token: randomUUID() };
    this.#connection = this.#route.connect(this.#binding);
  }

  /** Gives up the calls in flight: each is answered. */
  abort(): void {
    this.#route.abort(this.#binding);
  }

  /** The conversation is over. What has come of an answer on the host goes to its reader first. */
  end(): void {
    if (this.#answers.isAsking) this.#route.abort(this.#binding);
    this.#byConversation.delete(this.#conversation);
    this.#route.end(this.#binding);
  }

  get #conversation(): string {
    return this.#binding.conversation ?? this.#binding.token;
  }
}

const lost = failure('gateway_lost', 'the model gateway was lost', { retryable: true });
