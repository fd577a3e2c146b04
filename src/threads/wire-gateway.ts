// Owns the messages of the host to the gateway's thread. What a binding holds is between the supervisor and the gateway.
import type { MessagePort } from 'node:worker_threads';

/** What a life is bound with; only its token matters to the thread's host. */
export type TokenBinding = { readonly token: string };

export type ToGatewayThread<Binding extends TokenBinding> =
  | { readonly type: 'connect'; readonly port: MessagePort }
  | { readonly type: 'bind'; readonly binding: Binding }
  | { readonly type: 'unbind'; readonly token: string }
  | { readonly type: 'end_tree'; readonly tree: string }
  | { readonly type: 'close' };
