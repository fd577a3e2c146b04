// Owns how a gateway is put behind a port, on the host and in its thread alike. The rules are those of Gateway.
import { endlessness, maxMessage } from '../../base/endless.ts';
import type { FromGateway } from '../model.ts';
import type { Gateway } from './gateway.ts';

/** What is used of a `MessagePort` of `node:worker_threads`. */
export interface ServedPort {
  postMessage(message: FromGateway): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  close(): void;
}

/** Serves one slot, calling `onTraffic` per message. A foreign message closes the port, and its host sees the close. */
export function serveGateway(
  gateway: Gateway,
  port: ServedPort,
  onTraffic: () => void = () => {},
): void {
  const reply = (answer: FromGateway): void => {
    onTraffic();
    port.postMessage(answer);
  };
  port.on('message', (message) => {
    onTraffic();
    if (!isServed(gateway, message, reply)) port.close();
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
    // The sender sees its port closed, as for every message that is none.
    return false;
  }
}
