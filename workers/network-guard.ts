// Owns what code of a thread may reach of the network, where Node does not hold it: sockets are refused, or connect to public
// addresses alone. Code that sets out to get around it can.
import dgram from 'node:dgram';
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net, { isIP, type Socket } from 'node:net';
import { TroupeError } from '../src/base/failures.ts';
import { isRecord } from '../src/base/is-record.ts';
import type { NetworkAccess } from '../src/protocol/worker-profile.ts';
import { isPublicAddress } from '../src/tools/builtin/web/addresses.ts';
import { replace } from './replace-builtin.ts';

type Args = readonly unknown[];
type Answer = (error: unknown, found?: unknown, family?: unknown) => void;
type LookUp = (name: string, how: unknown, answer: Answer) => void;

const nameQueries = /^(lookup|resolve|reverse)/;

/** Once, before any other code of the thread. */
export function guardNetwork(access: Exclude<NetworkAccess, 'open'>): void {
  const refused = (what: string): TroupeError =>
    new TroupeError('profile_denied', `${what}: the profile of the agent has net: '${access}'`);
  const connect: (...args: never) => Socket = net.Socket.prototype.connect;
  const lookUp = dns.lookup;
  replace(net.Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]) {
    const asked = connectionOf(args);
    if (access === 'none' || asked === null) return fail(this, refused('no connection is made'));
    const { host } = asked.options;
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      return fail(this, refused(`${host} is not a public address`));
    }
    const own = (asked.options.lookup ?? lookUp) as LookUp;
    asked.options.lookup = (name: string, how: unknown, answer: Answer) =>
      own(name, how, (error, found, family) => {
        const addresses = Array.isArray(found) ? (found as LookupAddress[]) : [{ address: found }];
        const all = addresses.map(({ address }) => String(address));
        const wrong = all.find((address) => !isPublicAddress(address));
        if (error !== null && error !== undefined) answer(error);
        else if (wrong !== undefined) answer(refused(`${name} is at ${wrong}, no public address`));
        else answer(null, found, family);
      });
    return Reflect.apply(connect, this, asked.args);
  });
  replace(net.Server.prototype, 'listen', function (this: net.Server) {
    process.nextTick(() => this.emit('error', refused('nothing is listened to')));
    return this;
  });
  for (const method of ['bind', 'connect', 'send']) {
    replace(dgram.Socket.prototype, method, () => {
      throw refused('no datagram is sent');
    });
  }
  if (access === 'none') guardNames(refused);
  // So that what modules import by name is guarded as well.
  syncBuiltinESMExports();
}

function guardNames(refused: (what: string) => TroupeError): void {
  const { Resolver, promises } = dns;
  for (const owner of [dns, promises, Resolver.prototype, promises.Resolver.prototype]) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (!nameQueries.test(name)) continue;
      replace(owner, name, () => {
        throw refused('no name is looked up');
      });
    }
  }
}

type ConnectOptions = { host: string; lookup?: unknown; readonly [field: string]: unknown };

/** What a socket is asked to connect to; null for a path of this machine. */
function connectionOf(
  args: Args,
): { readonly options: ConnectOptions; readonly args: Args } | null {
  const [first, second, ...rest] = args;
  // As `net.connect` calls it: its options and its callback, and a mark that says so.
  const made = Array.isArray(first) ? first : null;
  const given: unknown = made === null ? first : made[0];
  if (isRecord(given)) {
    if (given['path'] !== undefined && given['path'] !== null) return null;
    const options: ConnectOptions = { ...given, host: String(given['host'] ?? 'localhost') };
    if (made === null) return { options, args: [options, second, ...rest] };
    made[0] = options;
    return { options, args };
  }
  if (!/^\d+$/.test(String(given))) return null;
  const hasHost = typeof second === 'string';
  const options = { port: Number(given), host: hasHost ? second : 'localhost' };
  return { options, args: [options, ...(hasHost ? rest : [second])] };
}

/** As a connection that cannot be made. */
function fail(socket: Socket, error: TroupeError): Socket {
  process.nextTick(() => socket.destroy(error));
  return socket;
}
