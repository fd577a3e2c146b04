// Owns where a subagent keeps session state: under a prefix made of its name, so that no key of a host is met (D47).
import { prefixedStore, type StateStore } from '../base/state-store.ts';

/** Everything of one subagent begins with this. A name holds no slash, so that no two prefixes begin alike. */
export function sessionPrefix(subagent: string): string {
  return `subagents/${subagent}/`;
}

/** The host's store as its subagent sees it: what it saves and loads is below its own prefix. */
export function subagentSession(store: StateStore, subagent: string): StateStore {
  return prefixedStore(store, sessionPrefix(subagent));
}
