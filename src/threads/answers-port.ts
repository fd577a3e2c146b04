// Owns the port over which the gateway's thread sends what the supervisor is to receive. It can be read at any moment: a thread
// reports the end of a model call over another port, and nothing orders two ports.
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { SupervisorMessage, SupervisorMessages } from '../protocol/gateway-thread-messages.ts';

export class AnswersPort {
  readonly #onMessage: (message: SupervisorMessage) => void;
  #port: MessagePort | null = null;

  constructor(onMessage: (message: SupervisorMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** Returns the other end, to be transferred to a new thread of the gateway. Keeps no process alive. */
  open(): MessagePort {
    const { port1: near, port2: far } = new MessageChannel();
    this.#port = near;
    near.on('message', (messages: SupervisorMessages) => this.#handOn(messages));
    // After adding the listener, which would keep the process alive.
    near.unref();
    return far;
  }

  /** Hands on what has been sent by now. */
  read(): void {
    if (this.#port !== null) this.#readAll(this.#port);
  }

  /** What was sent by now is the last that is handed on. */
  close(): void {
    const port = this.#port;
    if (port === null) return;
    this.#port = null;
    this.#readAll(port);
    port.close();
  }

  #readAll(port: MessagePort): void {
    for (;;) {
      const next = receiveMessageOnPort(port);
      if (next === undefined) return;
      this.#handOn(next.message);
    }
  }

  #handOn(messages: SupervisorMessages): void {
    for (const message of messages) this.#onMessage(message);
  }
}
