// A bare worker that plays a role of the Savina workloads, with a port of its own to each of its peers; lowers its
// priority as our threads do.
import { setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createRole, type Role, type RoleMessage, type RoleSpec } from '../savina/roles.ts';

export type BareSavinaMessage =
  | RoleMessage
  | {
      readonly type: 'cast';
      readonly index: number;
      readonly spec: RoleSpec;
      /** By the peer's number. */
      readonly ports: ReadonlyMap<number, MessagePort>;
    };

setPriority(0, 10);
let role: Role = () => {
  throw new Error('it was sent a message before its role');
};
parentPort?.on('message', (message: BareSavinaMessage) => {
  if (message.type !== 'cast') {
    role(message);
    return;
  }
  const { index, spec, ports } = message;
  role = createRole(spec, {
    index,
    send(to, sent) {
      const port = ports.get(to);
      if (port === undefined) throw new Error(`there is no port to ${to}`);
      port.postMessage(sent);
    },
    finish: (result) => parentPort?.postMessage(result),
  });
  for (const port of ports.values()) port.on('message', (sent: RoleMessage) => role(sent));
  parentPort?.postMessage(ports.size);
});
parentPort?.postMessage('ready');
