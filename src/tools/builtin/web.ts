// Owns the `web` toolset: fetching a page as text, and searching when the program brings a provider.
import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import { type HostToolset, statelessToolset } from '../host-toolset.ts';
import type { AnyTool } from '../tool.ts';
import { objectSchema, text } from './object-schema.ts';
import type { Page } from './web/guarded-fetch.ts';
import { PageReader } from './web/page-reader.ts';
import { decoded, type HtmlPage } from './web/page-text.ts';
import { type SearchProvider, searchTool } from './web/search.ts';

/** How agents reach the web. */
export type WebOptions = {
  /** Without one there is no `web_search`. */
  readonly search?: SearchProvider;
  /** Hosts that may be fetched though their address is not public: `host`, or `host:port`. Default none. */
  readonly allow?: readonly string[];
  /** Headers by host or `host:port`; they are sent to that host alone, and no agent sees them. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of one fetch, redirects included. Default 30,000. */
  readonly timeoutMs?: number;
  /** Of one page, unpacked. Default 2 MiB. */
  readonly maxBytes?: number;
};

const usualTimeoutMs = 30_000;
const usualBytes = 2_097_152;

/**
 * The toolset. It reaches public addresses only: loopback, private and reserved ones are refused, as literals in any
 * spelling, as what a name resolves to, and behind each of at most five redirects.
 */
export function webToolset(clock: Clock, options: WebOptions = {}, workerUrl?: URL): HostToolset {
  const { search } = options;
  const tools = [
    fetchTool(clock, options, workerUrl),
    ...(search === undefined ? [] : [searchTool(search)]),
  ];
  return statelessToolset({ name: 'web', description: 'Read pages of the web.', tools });
}

function fetchTool(clock: Clock, options: WebOptions, workerUrl: URL | undefined): AnyTool {
  const { allow = [], headers = {}, timeoutMs = usualTimeoutMs, maxBytes = usualBytes } = options;
  const reader = new PageReader(clock, workerUrl);
  return defineTool({
    name: 'web_fetch',
    description:
      'Fetches a page of the web with GET and answers its text: HTML without its tags, other text as it is. Public http and https addresses only; no script of a page is run.',
    input: objectSchema({ url: text('Address of the page, with http:// or https://.') }),
    idempotent: true,
    tags: ['web', 'network'],
    async run({ url }, { signal }) {
      // Loaded at need: a service whose agents stay offline does not carry an HTTP client.
      const { fetchPage } = await import('./web/guarded-fetch.ts');
      const limits = { clock, allow, headers, timeoutMs, maxBytes: maxBytes };
      const page = await fetchPage(url, signal, limits);
      const cut = page.isCut ? `\n[cut: only the first ${maxBytes} bytes were read]` : '';
      const html = (content: Omit<HtmlPage, 'maxChars'>): Promise<string> =>
        reader.read({ ...content, maxChars: maxBytes }, signal);
      return `${page.url} (status ${page.status})\n\n${await textOf(page, html)}${cut}`;
    },
  });
}

const textTypes = /^(text\/|application\/([a-z0-9.+-]*\+)?(json|xml|javascript|yaml)\b)/i;
const htmlTypes = /^(text\/html|application\/xhtml\+xml)/i;

async function textOf(
  { body, contentType, url }: Page,
  readHtml: (page: Omit<HtmlPage, 'maxChars'>) => Promise<string>,
): Promise<string> {
  if (body.length === 0) return '(no content)';
  const isText = contentType === '' ? isUtf8(body) : textTypes.test(contentType);
  if (!isText) {
    const kind = contentType === '' ? 'of no type' : contentType;
    throw new TroupeError('web_refused', `${url} is no text: ${kind}, ${body.length} bytes`);
  }
  return htmlTypes.test(contentType)
    ? readHtml({ body, contentType, url })
    : decoded(body, contentType);
}
