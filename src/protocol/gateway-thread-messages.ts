// Owns the messages between the host and the gateway's thread.
import type { MessagePort } from 'node:worker_threads';
import type { GatewayCommand, GatewayEvent } from './gateway-commands.ts';
import type { SpecBinding } from './model-binding.ts';
import type { ToGateway, ToSupervisor } from './model-messages.ts';

export type ToGatewayThread =
  /** Comes first: what the supervisor receives of the gateway goes over this port. */
  | { readonly type: 'answer_over'; readonly port: MessagePort }
  | { readonly type: 'connect'; readonly port: MessagePort; readonly connection: number }
  | { readonly type: 'bind'; readonly binding: SpecBinding }
  /** Changes a running activation's binding; `answered`, because its next request comes over another port. */
  | { readonly type: 'rebind'; readonly binding: SpecBinding; readonly request: number }
  /** A call of a run that has no thread: its answer goes to the supervisor. */
  | {
      readonly type: 'request';
      readonly conversation: string;
      readonly message: Extract<ToGateway, { readonly type: 'model_request' }>;
    }
  /** The token may ask no more; its conversation is kept. */
  | { readonly type: 'revoke'; readonly token: string }
  /** The conversation of the token is over, and with it the lease of its key. */
  | { readonly type: 'unbind'; readonly token: string; readonly lease: string }
  /** The calls in flight are given up; each is answered. */
  | { readonly type: 'abort'; readonly token: string }
  /** Something for the gateway that its host only carries. */
  | { readonly type: 'command'; readonly command: GatewayCommand }
  /** The time of a timer has come. */
  | { readonly type: 'woken'; readonly timer: number }
  /** `answered` once the thread has no request of its own under way. */
  | { readonly type: 'ping'; readonly request: number }
  | { readonly type: 'close' };

/** What the supervisor receives of a gateway, by its conversation. */
export type SupervisorMessage = { readonly conversation: string; readonly message: ToSupervisor };

/** All of one turn of the gateway's loop, in its order: many agents stream at once. */
export type SupervisorMessages = readonly SupervisorMessage[];

/** What the gateway's thread sends its host. */
export type FromGatewayThread =
  /** The request is done. `traffic`: how many requests have come, and answers gone, over its ports so far. */
  | { readonly type: 'answered'; readonly request: number; readonly traffic: number }
  /** The thread at the other end of this port sent what is no message of the gateway. */
  | { readonly type: 'violated'; readonly connection: number }
  | { readonly type: 'disconnected'; readonly connection: number }
  | { readonly type: 'event'; readonly event: GatewayEvent }
  /** What a package wrote to the thread's console, a write at a time. */
  | { readonly type: 'printed'; readonly text: string }
  /** Threads keep no policy time: waits run on the supervisor's clock. */
  | { readonly type: 'set_timer'; readonly timer: number; readonly delayMs: number }
  | { readonly type: 'cancel_timer'; readonly timer: number };
