// Owns where a subagent keeps session state: under a prefix made of its name, so that no key of a host is met (D47).
import { prefixedStore, type StateStore } from '../base/state-store.ts';

/** The prefix of all keys of one subagent. A name contains no slash, so no prefix is the beginning of another. */
function sessionPrefix(subagent: string): string {
  return `subagents/${subagent}/`;
}

/** The host's store as its subagent sees it: what it saves and loads is below its own prefix. */
export function subagentSession(store: StateStore, subagent: string): StateStore {
  return prefixedStore(store, sessionPrefix(subagent));
}
