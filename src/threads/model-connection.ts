// Owns how an activation on a thread reaches its model: through its host, or over a port to the gateway's thread. Types only.
import type { MessagePort } from 'node:worker_threads';

/** How an activation reaches its model from a thread. */
export type ModelConnection =
  | {
      readonly route: 'host';
      readonly token: string;
      /**
       * Hands a message of the thread to the host's gateway; false when it is none, and its sender not to be trusted.
       * With `isGivenUp` its receive is interrupted: no model is asked.
       */
      send(message: unknown, reply: (message: unknown) => void, isGivenUp: boolean): boolean;
      /** Aborts the calls in flight; each is answered within this call. */
      abort(): void;
    }
  | ({ readonly route: 'gateway'; readonly token: string } & GatewayConnection);

export type GatewayConnection = {
  /** Which gateway thread it is: a slot keeps its port to the same one. */
  readonly generation: number;
  /** A port to it, for a slot; calls `onViolated` when its thread sends there what is no message to a model. */
  connect(onViolated: () => void): MessagePort;
};
