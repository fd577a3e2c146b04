// Owns the way to models that run on the host: the slot's own port, in the shape of a gateway port.
import type { GatewayPort } from '../src/models/gateway/gateway-client.ts';
import type { FromGateway, ToGateway } from '../src/protocol/model-messages.ts';

export class HostModelPort implements GatewayPort {
  readonly #post: (message: ToGateway) => void;
  #onMessage: ((message: FromGateway) => void) | null = null;

  constructor(post: (message: ToGateway) => void) {
    this.#post = post;
  }

  postMessage(message: ToGateway): void {
    this.#post(message);
  }

  on(
    ...[event, listener]: ['message', (message: FromGateway) => void] | ['close', () => void]
  ): void {
    // This port never closes before its activation does.
    if (event === 'message') this.#onMessage = listener;
  }

  receive(message: FromGateway): void {
    this.#onMessage?.(message);
  }

  close(): void {
    this.#onMessage = null;
  }
}
