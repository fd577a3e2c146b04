// Owns the model gateway: conversations by the token that may go on with each, calls in flight. Runs on the host and in a
// thread.
import type { Clock } from '../../base/clock.ts';
import { type Failure, failure } from '../../base/failures.ts';
import { toFault } from '../../base/stack.ts';
import type { Spend } from '../../protocol/budget.ts';
import { type Message, withAppended } from '../../protocol/history.ts';
import type { Fallback } from '../../protocol/model-fallback.ts';
import { readToGateway } from '../../protocol/model-message-check.ts';
import type { ToSupervisor } from '../../protocol/model-messages.ts';
import { BudgetLedger, type Ledger, type Reservation } from '../budget/budget-ledger.ts';
import { nothingSpent, spendOf, spendWithout, withTaken } from '../budget/call-usage.ts';
import { count } from '../budget/meter.ts';
import type { PriceLookup } from '../budget/model-price.ts';
import { extend, measure, takenBounds } from '../conversation.ts';
import { asksNextModel } from '../fallback.ts';
import type { ModelRequest } from '../model.ts';
import type { Binding, BoundModel } from './binding.ts';
import { budgetNote } from './budget-note.ts';
import type { CallBound } from './call-bounds.ts';
import { CallCosts } from './call-costs.ts';
import { CallForModel } from './call-for-model.ts';
import {
  EarlyRequests,
  type ModelRequestMessage,
  type PendingRequest,
  refuse,
} from './early-requests.ts';
import { GatewayCall, type Reply } from './gateway-call.ts';
import { type Activation, askedModel, GatewayTokens, nextModel } from './gateway-tokens.ts';
import { grantedRequest, outputLimitOf, toRequest } from './model-request.ts';
import { asResponse } from './response-shape.ts';

export type GatewayOptions = {
  readonly clock: Clock;
  /** Called for models without a given price. Default: knows none. */
  readonly lookUp?: PriceLookup;
  /** Default: one of its own. A supervisor has one for all its gateways. */
  readonly ledger?: Ledger;
  /** Receives what streams, and the answers to calls whose askers have left their threads. Default: that is lost. */
  readonly toSupervisor?: (conversation: string, message: ToSupervisor) => void;
  /** Called when an agent goes on with the next model of its list. */
  readonly onFallback?: (fallback: Fallback) => void;
};

/** What the ledger granted a call: its reservation and the output limit that keeps the call within it. */
type Grant = { readonly reservation: Reservation; readonly bound: CallBound };
type Asked = {
  readonly message: ModelRequestMessage;
  readonly model: BoundModel;
  readonly grant: Grant | null;
};
/** A request as it goes out, and the conversation without what was added to this request alone. */
type Outgoing = { readonly request: ModelRequest; readonly messages: readonly Message[] };

/** Answers every request of a thread exactly once, for bound tokens only. */
export class Gateway {
  readonly #clock: Clock;
  readonly #costs: CallCosts;
  readonly #ledger: Ledger;
  readonly #toSupervisor: (conversation: string, message: ToSupervisor) => void;
  readonly #onFallback: (fallback: Fallback) => void;
  readonly #tokens = new GatewayTokens();
  readonly #early: EarlyRequests;

  constructor(options: GatewayOptions) {
    const { clock, lookUp, ledger, toSupervisor = () => {}, onFallback = () => {} } = options;
    this.#ledger = ledger ?? new BudgetLedger();
    this.#toSupervisor = toSupervisor;
    this.#clock = clock;
    this.#costs = new CallCosts(lookUp ?? (() => null));
    this.#onFallback = onFallback;
    this.#early = new EarlyRequests(clock);
  }

  /** Lets a token in and starts its buffered requests. Binding again changes all but the head (A38). */
  bind(binding: Binding): void {
    const { token } = binding;
    const known = this.#tokens.get(token);
    if (known !== undefined) {
      known.binding = binding;
      return;
    }
    const activation = this.#tokens.open(binding);
    for (const request of this.#early.take(token)) {
      this.#start(activation, request);
      if (request.isDetached === true) activation.isRevoked = true;
    }
  }

  /** The token may ask no more; its conversation is kept for the next one. */
  revoke(token: string): void {
    const activation = this.#tokens.get(token);
    if (activation !== undefined) activation.isRevoked = true;
  }

  /** Ends a conversation by its token: its calls fail `activation_ended`, and so does every later request of it. */
  unbind(token: string): void {
    const activation = this.#tokens.end(token);
    if (activation !== undefined && activation.calls.size > 0) {
      for (const call of [...activation.calls.values()]) call.abort(activationEnded());
    }
    for (const request of this.#early.take(token)) refuse(request, activationEnded());
  }

  /**
   * Takes one message of a thread; false when it is none of ours, and its sender not to be trusted further. With
   * `isGivenUp` its run was interrupted meanwhile: the message joins the conversation, and no model is asked.
   */
  handle(message: unknown, reply: Reply, isGivenUp = false): boolean {
    const known = readToGateway(message);
    if (known === null) return false;
    const { token } = known;
    const activation = this.#tokens.get(token);
    if (known.type === 'model_abort') {
      if (activation === undefined) this.#early.abort(token, known.callId, aborted());
      else if (!activation.isRevoked) this.#abort(activation, known.callId);
    } else if (known.type === 'model_detach') {
      const reply = this.#supervisorOf(token);
      if (activation === undefined) this.#early.detach(token, known.callId, reply);
      else this.#detach(activation, known.callId, reply);
    } else if (activation?.isRevoked === true || this.#tokens.isRetired(token)) {
      refuse({ message: known, reply }, activationEnded());
    } else if (activation === undefined) this.#early.keep({ message: known, reply });
    else this.#start(activation, { message: known, reply }, isGivenUp);
    return true;
  }

  /** The asker leaves its thread with a call in flight: it asks no more by this token. */
  #detach(activation: Activation, callId: number, reply: Reply): void {
    const { lastCall } = activation;
    activation.isRevoked = true;
    if (lastCall?.callId === callId) lastCall.detach(reply);
  }

  #supervisorOf(token: string): (message: ToSupervisor) => void {
    return (message) => {
      const named = this.#tokens.get(token)?.binding.conversation;
      if (named !== undefined) this.#toSupervisor(named, message);
    };
  }

  /** Aborts the calls of an activation that goes on; each is answered within this call. */
  abort(token: string): void {
    const activation = this.#tokens.get(token);
    if (activation === undefined) return;
    for (const callId of [...activation.calls.keys()]) this.#abort(activation, callId);
  }

  /** Ends every activation and refuses all buffered requests. */
  close(): void {
    for (const token of [...this.#tokens.all(), ...this.#early.tokens()]) this.unbind(token);
  }

  #start(activation: Activation, pending: PendingRequest, isGivenUp = false): void {
    const { message, reply } = pending;
    const { callId, turn } = message;
    if (activation.calls.has(callId)) {
      refuse(pending, failure('model_bad_request', `call ${callId} is already open`));
      return;
    }
    const stream = this.#supervisorOf(message.token);
    const call = new GatewayCall({ callId, turn, reply, stream, clock: this.#clock });
    activation.lastCall = call;
    const conversation = extend(activation.conversation, message);
    if ('code' in conversation) {
      call.fail(conversation);
      return;
    }
    activation.conversation = conversation;
    activation.callIds.add(message.messages);
    if (isGivenUp) {
      call.fail(aborted());
      return;
    }
    activation.calls.set(callId, call);
    this.#call(activation, call, message);
  }

  /** Asks the model that the conversation is with now. */
  #call(activation: Activation, call: GatewayCall, message: ModelRequestMessage): void {
    const model = askedModel(activation);
    const request = toRequest(activation, message);
    const { messages } = request;
    if (activation.binding.accounts.length === 0) {
      void this.#ask(activation, call, { message, model, grant: null, request, messages });
      return;
    }
    this.#reserve(activation, call, { model, request })
      .then(([grant, granted]) =>
        this.#ask(activation, call, { message, model, grant, request: granted, messages }),
      )
      .catch((error) => this.#fail(activation, call, { error, message, model, grant: null }));
  }

  #abort(activation: Activation, callId: number): void {
    const call = activation.calls.get(callId);
    activation.calls.delete(callId);
    call?.abort(aborted());
  }

  async #reserve(
    { binding, conversation }: Activation,
    call: GatewayCall,
    { model, request }: { readonly model: BoundModel; readonly request: ModelRequest },
  ): Promise<readonly [Grant, ModelRequest]> {
    const { agent, accounts } = binding;
    const bounds = this.#costs.bounds(model, { request, conversation, accounts });
    const [first, ...rest] = bounds;
    const spends: [Spend, ...Spend[]] = [first.spend, ...rest.map(({ spend }) => spend)];
    const asked = { agentId: agent.id, accounts, bounds: spends };
    const reservation = await this.#ledger.reserve(asked, call);
    const bound = bounds[reservation.index] ?? first;
    const note = budgetNote(reservation.near);
    const warned = { ...request, messages: withAppended(request.messages, note) };
    return [{ reservation, bound }, grantedRequest(warned, bound)];
  }

  async #ask(activation: Activation, call: GatewayCall, asked: Asked & Outgoing): Promise<void> {
    const { request, model: bound, grant, messages } = asked;
    if (!call.isOpen) {
      grant?.reservation.charge(nothingSpent);
      return;
    }
    try {
      const { model } = bound;
      const limit = outputLimitOf(request, model, grant?.bound ?? null);
      const bounds = takenBounds(activation.conversation, limit.maxOutputTokens);
      call.asked(limit, {
        broken: () => this.#costs.priced(bound, call.usage.taken(bounds)),
        count: (spent) => {
          const { meter } = activation.binding;
          if (meter !== undefined) count(meter, spent);
        },
      });
      call.whenAborted(() => {
        // An abort answers at once; a model that ignores it must not keep budget from other calls.
        activation.calls.delete(call.callId);
        const spent = this.#costs.priced(bound, call.usage.taken(bounds));
        grant?.reservation.charge(spendWithout(spent));
      });
      const hasFallback = nextModel(activation) !== null;
      const answer = await model.respond(request, new CallForModel(call, hasFallback));
      const response = activation.callIds.assign(asResponse(answer, model, request), request.turn);
      const before = call.usage.takenBefore(bounds);
      const whole = before === null ? response : withTaken(response, before);
      const costUsd = this.#costs.of(bound, whole.usage, whole.model);
      grant?.reservation.charge(spendOf(whole.usage, costUsd, 1));
      activation.calls.delete(call.callId);
      // A history that was replaced meanwhile is not what the provider counted.
      if (activation.conversation.messages === messages) {
        activation.conversation = measure(activation.conversation, response);
      }
      call.succeed(whole, costUsd);
    } catch (error) {
      this.#fail(activation, call, { ...asked, error });
    }
  }

  #fail(
    activation: Activation,
    call: GatewayCall,
    { error, message, model, grant }: Asked & { readonly error: unknown },
  ): void {
    const failure = toFault(error, 'model_failed');
    const goesOn =
      call.isUnanswered && asksNextModel(failure) && this.#moveOn(activation, model, failure);
    const spent = goesOn ? call.leaveModel() : call.fail(failure);
    grant?.reservation.charge(spendWithout(spent));
    if (goesOn) this.#call(activation, call, message);
    else activation.calls.delete(call.callId);
  }

  /** False when the model that failed was the last of its list. */
  #moveOn(activation: Activation, { model }: BoundModel, failure: Failure): boolean {
    // Another call of this conversation may have moved on before.
    if (askedModel(activation).model !== model) return true;
    const next = nextModel(activation);
    if (next === null) return false;
    activation.modelAt += 1;
    // What one provider counted, another one counts otherwise.
    activation.conversation = { ...activation.conversation, measured: null };
    const { agent } = activation.binding;
    this.#onFallback({ agent, from: model.id, to: next.model.id, failure });
    return true;
  }
}

function activationEnded(): Failure {
  return failure('activation_ended', 'the activation that asks has ended');
}

function aborted(): Failure {
  return failure('aborted', 'the model call was aborted');
}
