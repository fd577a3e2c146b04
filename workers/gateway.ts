// Owns the thread entry of the model gateway: ports in, models out. The rules are those of Gateway.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { processTime, systemClock, systemRandom } from '../src/base/clock.ts';
import { TroupeError, unreachable } from '../src/base/failures.ts';
import { requestsOver } from '../src/base/next-turn.ts';
import { BudgetClient } from '../src/models/budget/budget-server.ts';
import { PriceTable } from '../src/models/budget/price-table.ts';
import { Gateway } from '../src/models/gateway/gateway.ts';
import { serveGateway } from '../src/models/gateway/gateway-port.ts';
import { withModels } from '../src/models/keys/bound-models.ts';
import { ProviderClients } from '../src/models/keys/provider-clients.ts';
import type { GatewayCommand, GatewayEvent } from '../src/protocol/gateway-commands.ts';
import type {
  FromGatewayThread,
  SupervisorMessage,
  SupervisorMessages,
  ToGatewayThread,
} from '../src/protocol/gateway-thread-messages.ts';
import type { SpecBinding } from '../src/protocol/model-binding.ts';
import type { ToSupervisor } from '../src/protocol/model-messages.ts';
import { RemoteClock } from './remote-timers.ts';

if (parentPort === null) throw new TroupeError('internal', 'workers/gateway is a thread entry');
const host = parentPort;
/** What goes to the supervisor in this turn of the loop: many agents stream at once, and a message of their own each costs more. */
const unsent: SupervisorMessage[] = [];
let answers: MessagePort | null = null;
const event = (event: GatewayEvent): void => post({ type: 'event', event });
const remoteClock = new RemoteClock(post);
const prices = new PriceTable();
const ledger = new BudgetClient(event);
const providers = new ProviderClients({
  clock: remoteClock,
  random: systemRandom,
  onRotated: (rotation) => event({ type: 'rotated', rotation }),
  onOutage: (message) => event({ type: 'outage', message }),
  onOutageWait: (agentId, isWaiting) => event({ type: 'outage_wait', agentId, isWaiting }),
});
const gateway = new Gateway({
  clock: systemClock,
  lookUp: prices.price,
  ledger,
  toSupervisor,
  onFallback: (fallback) => event({ type: 'fallback', fallback }),
});
const ports = new Set<MessagePort>();
for (const stream of [process.stdout, process.stderr]) stream.write = print;
let traffic = 0;

host.on('message', (message: ToGatewayThread) => {
  switch (message.type) {
    case 'answer_over':
      answers = message.port;
      return;
    case 'connect':
      serve(message.port, message.connection);
      return;
    case 'bind':
      bind(message.binding);
      return;
    case 'rebind':
      bind(message.binding);
      answer(message.request);
      return;
    case 'request':
      traffic += 1;
      gateway.handle(message.message, (answer) => toSupervisor(message.conversation, answer));
      return;
    case 'revoke':
      gateway.revoke(message.token);
      return;
    case 'unbind':
      gateway.unbind(message.token);
      providers.end(message.lease);
      return;
    case 'abort':
      gateway.abort(message.token);
      return;
    case 'command':
      carryOut(message.command);
      return;
    case 'woken':
      remoteClock.wake(message.timer);
      return;
    case 'ping':
      void requestsOver(processTime).then(() => answer(message.request));
      return;
    case 'close':
      gateway.close();
      sendAll();
      answers?.close();
      for (const port of ports) port.close();
      // Nothing else is left to listen to, so the thread ends.
      host.close();
      return;
    default:
      unreachable(message);
  }
});

/** What goes to the supervisor was sent before: it is there first. */
function post(message: FromGatewayThread): void {
  sendAll();
  host.postMessage(message);
}

function toSupervisor(conversation: string, message: ToSupervisor): void {
  traffic += 1;
  if (unsent.push({ conversation, message }) === 1) setImmediate(sendAll);
}

function sendAll(): void {
  if (unsent.length === 0) return;
  const messages: SupervisorMessages = unsent.splice(0);
  answers?.postMessage(messages);
}

function answer(request: number): void {
  post({ type: 'answered', request, traffic });
}

function bind(binding: SpecBinding): void {
  gateway.bind(withModels(binding, providers));
}

function carryOut(command: GatewayCommand): void {
  if (command.type === 'providers') providers.use(command);
  else ledger.receive(command);
}

/** Posts what is written: a host that reads a thread's streams is kept alive by them (V6). */
function print(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
  post({ type: 'printed', text: Buffer.from(chunk).toString() });
  const done = rest.at(-1);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}

function serve(port: MessagePort, connection: number): void {
  ports.add(port);
  port.on('close', () => {
    ports.delete(port);
    post({ type: 'disconnected', connection });
  });
  serveGateway(gateway, port, {
    onTraffic: () => {
      traffic += 1;
      // Before an answer goes to the thread, what streamed of it has gone to the supervisor.
      sendAll();
    },
    onViolated: () => post({ type: 'violated', connection }),
  });
}
