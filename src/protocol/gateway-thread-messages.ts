// Owns the messages of the host to the gateway's thread. Only supervisor and gateway read the content of a binding.
import type { MessagePort } from 'node:worker_threads';

/** What an activation is bound with; only its token matters to the thread's host. */
export type TokenBinding = { readonly token: string };

export type ToGatewayThread<Binding extends TokenBinding, Command = never> =
  | { readonly type: 'connect'; readonly port: MessagePort; readonly connection: number }
  | { readonly type: 'bind'; readonly binding: Binding }
  /** Changes a running activation's binding; answered, because its next request comes over another port. */
  | { readonly type: 'rebind'; readonly binding: Binding; readonly change: number }
  | { readonly type: 'unbind'; readonly token: string }
  /** Something for the gateway that its host only carries. */
  | { readonly type: 'command'; readonly command: Command }
  /** The time of a timer has come; answered with `ran`. */
  | { readonly type: 'woken'; readonly timer: number }
  /** Answered by `pong` once the thread has no request of its own under way. */
  | { readonly type: 'ping'; readonly nonce: number }
  | { readonly type: 'close' };

/** What the gateway's thread sends its host. */
export type FromGatewayThread<Event = never> =
  | { readonly type: 'rebound'; readonly change: number }
  /** The thread at the other end of this port sent what is no message of the gateway. */
  | { readonly type: 'violated'; readonly connection: number }
  | { readonly type: 'disconnected'; readonly connection: number }
  /** How many requests have come, and answers gone, over its ports so far. */
  | { readonly type: 'pong'; readonly nonce: number; readonly traffic: number }
  | { readonly type: 'event'; readonly event: Event }
  /** What a package wrote to the thread's console, a write at a time. */
  | { readonly type: 'printed'; readonly text: string }
  /** Threads keep no policy time: waits run on the supervisor's clock. */
  | { readonly type: 'set_timer'; readonly timer: number; readonly delayMs: number }
  | { readonly type: 'cancel_timer'; readonly timer: number }
  | { readonly type: 'ran'; readonly timer: number };
