// Owns the messages of the host to the gateway's thread. What a binding holds is between the supervisor and the gateway.
import type { MessagePort } from 'node:worker_threads';

/** What a life is bound with; only its token matters to the thread's host. */
export type TokenBinding = { readonly token: string };

export type ToGatewayThread<Binding extends TokenBinding> =
  | { readonly type: 'connect'; readonly port: MessagePort }
  | { readonly type: 'bind'; readonly binding: Binding }
  /** Changes a running life's binding; answered, because its next request comes over another port. */
  | { readonly type: 'rebind'; readonly binding: Binding; readonly change: number }
  | { readonly type: 'unbind'; readonly token: string }
  | { readonly type: 'end_tree'; readonly tree: string }
  | { readonly type: 'close' };

/** What the gateway's thread tells its host. */
export type FromGatewayThread = { readonly type: 'rebound'; readonly change: number };
