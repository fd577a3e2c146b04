// An actor that plays a role of the Savina workloads; its peers are told to it in its first message.
import type { Address } from '#src/actor.js';
import { behavior, next } from '#src/behavior.js';
import { createRole, type Role, type RoleMessage, type RoleSpec } from '../savina/roles.ts';

export type SavinaArgs = { readonly index: number; readonly spec: RoleSpec };
export type SavinaMessage =
  | RoleMessage
  | { readonly type: 'peers'; readonly peers: readonly Address[] };

type State = {
  readonly role: Role;
  peers: readonly Address[];
  finish: (result: number) => void;
};

export default behavior<State, SavinaMessage, SavinaArgs>({
  start({ index, spec }, self) {
    const state: State = {
      role: createRole(spec, {
        index,
        send(to, message) {
          const address = state.peers[to];
          if (address === undefined) throw new Error(`there is no actor ${to}`);
          self.tell(address, message);
        },
        finish: (result) => state.finish(result),
      }),
      peers: [],
      finish() {
        throw new Error('it finished before it was asked to run');
      },
    };
    return state;
  },
  receive(state, message, self) {
    if (message.type === 'peers') {
      state.peers = message.peers;
      self.reply(state.peers.length);
    } else {
      if (message.type === 'run') state.finish = self.takeReply();
      state.role(message);
    }
    return next(state);
  },
});
