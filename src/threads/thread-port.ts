// Owns the port between a slot and a thread of this process.
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { GatewayPortMessage, ToThread } from '../protocol/worker-messages.ts';
import type { SlotPort, SlotPortEvents } from './slot-port.ts';

export class ThreadPort implements SlotPort {
  readonly isBehind = false;
  /** For the thread, to be transferred to it. */
  readonly other: MessagePort;
  readonly #port: MessagePort;
  readonly #events: SlotPortEvents;

  constructor(events: SlotPortEvents) {
    const { port1, port2 } = new MessageChannel();
    this.other = port2;
    this.#port = port1;
    this.#events = events;
    port1.on('message', events.message);
    port1.on('messageerror', events.unreadable);
    port1.on('close', events.closed);
    port1.unref();
  }

  post(message: ToThread): void {
    this.#port.postMessage(message);
  }

  sendGateway(port: MessagePort): void {
    this.#port.postMessage({ type: 'gateway', port } satisfies GatewayPortMessage, [port]);
  }

  /** What a thread posted before it died is still here. */
  readRest(): void {
    const port = this.#port;
    for (let left = receiveMessageOnPort(port); left; left = receiveMessageOnPort(port)) {
      this.#events.message(left.message);
    }
  }

  close(): void {
    this.#port.close();
  }
}
