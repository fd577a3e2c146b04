// Owns which addresses a fetch may reach: public ones, and what the program allows by name. Resolves and connects nothing.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { describe, TroupeError } from '../../../base/failures.ts';

/** Hosts that are allowed whatever their address: `host` or `host:port`, an IPv6 address in brackets. */
export type AllowedHosts = readonly string[];

/** True for an address reachable from the internet: no loopback, private, link-local, mapped or reserved one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` turns a mapped IPv4 address into that address, so that its own range counts.
  return ipaddr.process(address).range() === 'unicast';
}

/** Judges one hop before anything is resolved. Throws `web_refused`. */
export function checkUrl(text: string, allowed: AllowedHosts): { url: URL; isAllowed: boolean } {
  const url = parsed(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`${describe(text)} is neither http nor https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(`${describe(url.host)} was given with a name or a password in the address`);
  }
  const isAllowed = isListed(url, allowed);
  // The parser has brought 0x7f000001 and its like into one form; a literal is never resolved, so it is judged here.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!isAllowed && isIP(literal) !== 0 && !isPublicAddress(literal)) {
    throw refused(`${url.host} is not a public address`);
  }
  return { url, isAllowed };
}

export function refused(message: string): TroupeError {
  return new TroupeError('web_refused', message);
}

/** The value that a table of hosts has for an address: by host and port, else by host. */
export function hostEntry<Value>(
  url: URL,
  table: Readonly<Record<string, Value>>,
): Value | undefined {
  for (const name of namesOf(url)) {
    const key = Object.keys(table).find((each) => each.toLowerCase() === name);
    if (key !== undefined) return table[key];
  }
  return undefined;
}

function isListed(url: URL, allowed: AllowedHosts): boolean {
  const names = namesOf(url);
  return allowed.some((entry) => names.includes(entry.toLowerCase()));
}

function namesOf({ hostname, port, protocol }: URL): readonly string[] {
  const used = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return [`${hostname}:${used}`, hostname];
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch (thrown) {
    throw new TroupeError('web_refused', `${describe(text)} is no web address`, { cause: thrown });
  }
}
