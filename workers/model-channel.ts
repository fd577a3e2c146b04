// Owns an activation's channel to its model: its token, and which part of the conversation the gateway already has.
import type { AgentModel, ModelAnswer } from '../src/agent/worker-environment.ts';
import { toFailure } from '../src/base/failures.ts';
import type { GatewayClient } from '../src/models/gateway/gateway-client.ts';
import type { Message } from '../src/protocol/history.ts';

export class ModelChannel implements AgentModel {
  readonly #token: string;
  readonly #client: GatewayClient;
  #known: readonly Message[] = [];
  #pending = 0;

  constructor(token: string, client: GatewayClient) {
    this.#token = token;
    this.#client = client;
  }

  get pending(): number {
    return this.#pending;
  }

  /** The first messages of the conversation that the gateway has from an earlier activation. */
  continueFrom(known: readonly Message[]): void {
    this.#known = known;
  }

  /** How many messages the gateway has that a conversation begins with. */
  knownOf(messages: readonly Message[]): number {
    return sharedLength(this.#known, messages);
  }

  detach(): boolean {
    const isOpen = this.#client.detach(this.#token);
    if (isOpen) this.#pending -= 1;
    return isOpen;
  }

  async request(...[request, call]: Parameters<AgentModel['request']>): Promise<ModelAnswer> {
    try {
      return await this.#ask(request, call);
    } catch (error) {
      // A gateway that was lost meanwhile had the conversation, the one that replaced it has not: it is sent whole.
      if (toFailure(error).code !== 'gateway_lost' || !this.#client.isConnected) throw error;
      return this.#ask(request, call);
    }
  }

  async #ask(...[request, call]: Parameters<AgentModel['request']>): Promise<ModelAnswer> {
    const { turn, messages, toolChoice } = request;
    const from = sharedLength(this.#known, messages);
    this.#pending += 1;
    try {
      const asked = { token: this.#token, turn, from, messages: messages.slice(from) };
      const chosen = toolChoice === undefined ? asked : { ...asked, toolChoice };
      const answer = this.#client.respond(chosen, call);
      this.#known = messages;
      return await answer;
    } catch (error) {
      // The lost gateway had the conversation: the next request sends the whole of it.
      if (toFailure(error).code === 'gateway_lost') this.#known = [];
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }
}

/** Messages are never changed in place, so identity shows how far two conversations agree. */
function sharedLength(known: readonly Message[], messages: readonly Message[]): number {
  let length = 0;
  while (length < known.length && known[length] === messages[length]) length += 1;
  return length;
}
