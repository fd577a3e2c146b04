// Owns how a gateway is put behind a port, on the host and in its thread alike. The rules are those of Gateway.
import type { Gateway } from './gateway.ts';
import type { FromGateway } from './model.ts';

/** What is used of a `MessagePort` of `node:worker_threads`. */
export interface ServedPort {
  postMessage(message: FromGateway): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  close(): void;
}

/** Serves one seat. A port that sends what is no message of the gateway is closed: its host hears that. */
export function serveGateway(gateway: Gateway, port: ServedPort): void {
  port.on('message', (message) => {
    const isOurs = gateway.handle(message, (answer) => port.postMessage(answer));
    if (!isOurs) port.close();
  });
}
