// Owns the thread entry of the model gateway: ports in, models out. The rules are those of Gateway.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { systemClock } from '../src/clock.ts';
import { TroupeError, unreachable } from '../src/errors.ts';
import type { SpecBinding } from '../src/models/binding.ts';
import { Gateway } from '../src/models/gateway.ts';
import { serveGateway } from '../src/models/gateway-port.ts';
import type { Model } from '../src/models/model.ts';
import { createModel, type ModelSpec, modelId } from '../src/models/resolve.ts';
import type { FromGatewayThread, ToGatewayThread } from '../src/threads/wire-gateway.ts';

if (parentPort === null) throw new TroupeError('internal', 'workers/gateway is a thread entry');
const host = parentPort;
const gateway = new Gateway({ clock: systemClock });
const models = new Map<string, Model>();
const ports = new Set<MessagePort>();

host.on('message', (message: ToGatewayThread<SpecBinding>) => {
  switch (message.type) {
    case 'connect':
      serve(message.port);
      return;
    case 'bind':
      bind(message.binding);
      return;
    case 'rebind':
      bind(message.binding);
      host.postMessage({ type: 'rebound', change: message.change } satisfies FromGatewayThread);
      return;
    case 'unbind':
      gateway.unbind(message.token);
      return;
    case 'end_tree':
      gateway.endTree(message.tree);
      return;
    case 'close':
      gateway.close();
      for (const port of ports) port.close();
      // Nothing else is left to listen to, so the thread ends.
      host.close();
      return;
    default:
      unreachable(message);
  }
});

function bind({ spec, ...binding }: SpecBinding): void {
  gateway.bind({ ...binding, model: modelOf(spec) });
}

function serve(port: MessagePort): void {
  ports.add(port);
  port.on('close', () => ports.delete(port));
  serveGateway(gateway, port);
}

/** One client, with its connections, for all lives on the same model. */
function modelOf(spec: ModelSpec): Model {
  const key = JSON.stringify(spec);
  const known = models.get(key);
  if (known !== undefined) return known;
  const model = build(spec);
  models.set(key, model);
  return model;
}

/** The host checks specifications; one that still cannot be built fails its own calls and no others. */
function build(spec: ModelSpec): Model {
  try {
    return createModel(spec);
  } catch (error) {
    return { id: modelId(spec), respond: () => Promise.reject(error) };
  }
}
