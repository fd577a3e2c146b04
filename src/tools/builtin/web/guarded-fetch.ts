// Owns one fetch that cannot be led inside: every hop is checked, by name and by what the name resolves to.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent, fetch, type Response } from 'undici';
import type { Clock } from '../../../base/clock.ts';
import { TroupeError, toFailure } from '../../../base/failures.ts';
import { withAbort } from '../../../base/with-abort.ts';
import { type AllowedHosts, checkUrl, hostEntry, isPublicAddress, refused } from './addresses.ts';

export type FetchOptions = {
  readonly clock: Clock;
  readonly allow: AllowedHosts;
  /** Headers by host, or host and port; sent to that host and to no other, also after a redirect. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Milliseconds for all hops and the body together. */
  readonly timeoutMs: number;
  /** Bytes of the body that are read, unpacked. */
  readonly maxBytes: number;
};

export type Page = {
  /** Where the last redirect led. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** There was more than `maxBytes`. */
  readonly isCut: boolean;
};

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Fetches with GET. Throws `web_refused` for what may not be reached, `web_failed` for what could not, or the signal's reason. */
export async function fetchPage(
  address: string,
  signal: AbortSignal,
  options: FetchOptions,
): Promise<Page> {
  const { clock, timeoutMs } = options;
  const abort = new AbortController();
  const onAbort = ({ reason }: AbortSignal): void => abort.abort(reason);
  const cancel = clock.after(timeoutMs, () => {
    const why = `the answer took longer than ${timeoutMs} ms`;
    abort.abort(new TroupeError('web_failed', why, { retryable: true }));
  });
  try {
    return await withAbort(signal, onAbort, () => followed(address, abort.signal, options));
  } catch (thrown) {
    if (abort.signal.aborted) throw abort.signal.reason;
    throw ours(thrown) ?? failed(thrown);
  } finally {
    cancel();
  }
}

async function followed(
  address: string,
  signal: AbortSignal,
  options: FetchOptions,
): Promise<Page> {
  let next = address;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const { url, isAllowed } = checkUrl(next, options.allow);
    // One agent per hop: a connection that was allowed for one address is not used for another.
    const agent = new Agent({ connect: { lookup: isAllowed ? lookup : checkingLookup } });
    try {
      const response = await fetch(url, {
        dispatcher: agent,
        redirect: 'manual',
        signal,
        headers: {
          'user-agent': 'troupe',
          accept: 'text/html, text/plain, application/json;q=0.9, */*;q=0.5',
          ...hostEntry(url, options.headers),
        },
      });
      const location = response.headers.get('location');
      if (!redirects.has(response.status) || location === null) {
        return await pageOf(url, response, options.maxBytes);
      }
      next = resolved(location, url);
    } finally {
      await agent.destroy();
    }
  }
  throw refused(`more than ${maxRedirects} redirects, the last to ${next}`);
}

async function pageOf(url: URL, response: Response, maxBytes: number): Promise<Page> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of response.body ?? []) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    isCut = size > maxBytes;
    if (isCut) break;
  }
  return {
    url: url.href,
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: Buffer.concat(chunks),
    isCut,
  };
}

function resolved(location: string, from: URL): string {
  try {
    return new URL(location, from).href;
  } catch (thrown) {
    throw new TroupeError('web_failed', `${from.host} redirects to no address`, { cause: thrown });
  }
}

type Found = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Judges what a name resolves to at the very moment of the connection: there is no second resolution to trick. */
function checkingLookup(hostname: string, options: LookupOptions, done: Found): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const inside = addresses?.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses ?? [];
    if (error !== null) done(error, '');
    else if (inside !== undefined)
      done(refused(`${hostname} leads to ${inside.address}, which is not a public address`), '');
    else if (options.all === true) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  });
}

/** Our own refusal, however deep the client wrapped it. */
function ours(thrown: unknown): TroupeError | null {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (at instanceof TroupeError) return at;
  }
  return null;
}

function failed(thrown: unknown): TroupeError {
  let deepest = thrown;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const { message } = toFailure(deepest, 'web_failed');
  return new TroupeError('web_failed', message, { retryable: true, cause: thrown });
}
