// Owns how a gateway is put behind a port, on the host and in its thread alike. The rules are those of Gateway.
import { endlessness, maxMessage } from '../../base/endless.ts';
import type { FromGateway } from '../../protocol/model-messages.ts';
import type { Gateway } from './gateway.ts';

/** What is used of a `MessagePort` of `node:worker_threads`. */
export interface ServedPort {
  postMessage(message: FromGateway): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

export type ServedSlot = {
  /** Called for every message, either way. */
  readonly onTraffic?: () => void;
  /** Called once, for what is no message of the gateway: its sender is not to be trusted, and nothing more of it is read. */
  readonly onViolated: () => void;
};

/** Serves one slot, until it sends what is no message of the gateway: that is not answered, its host ends its thread. */
export function serveGateway(
  gateway: Gateway,
  port: ServedPort,
  { onTraffic = () => {}, onViolated }: ServedSlot,
): void {
  let isTrusted = true;
  const reply = (answer: FromGateway): void => {
    onTraffic();
    port.postMessage(answer);
  };
  port.on('message', (message) => {
    if (!isTrusted) return;
    onTraffic();
    if (isServed(gateway, message, reply)) return;
    isTrusted = false;
    onViolated();
  });
}

/** What one thread sends must not end the gateway of all: what cannot be walked, or trips its reader, is none of ours. */
function isServed(
  gateway: Gateway,
  message: unknown,
  reply: (answer: FromGateway) => void,
): boolean {
  try {
    return endlessness(message, maxMessage) === null && gateway.handle(message, reply);
  } catch {
    return false;
  }
}
