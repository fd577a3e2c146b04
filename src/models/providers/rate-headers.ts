// Owns the rate limits in providers' headers: Anthropic's and OpenAI's, read into one view. Pure.

/** What is used of a `Headers` object. */
export interface ResponseHeaders {
  get(name: string): string | null;
}

/** What a provider reports as left for one key, and the milliseconds until it is whole again; null if not reported. */
export type RateView = {
  readonly requestsLeft: number | null;
  readonly requestsResetMs: number | null;
  readonly tokensLeft: number | null;
  readonly tokensResetMs: number | null;
};

type Source = { readonly left: string; readonly reset: string };

const requestSources: readonly Source[] = [
  { left: 'anthropic-ratelimit-requests-remaining', reset: 'anthropic-ratelimit-requests-reset' },
  { left: 'x-ratelimit-remaining-requests', reset: 'x-ratelimit-reset-requests' },
];

const tokenSources: readonly Source[] = [
  { left: 'anthropic-ratelimit-tokens-remaining', reset: 'anthropic-ratelimit-tokens-reset' },
  {
    left: 'anthropic-ratelimit-input-tokens-remaining',
    reset: 'anthropic-ratelimit-input-tokens-reset',
  },
  {
    left: 'anthropic-ratelimit-output-tokens-remaining',
    reset: 'anthropic-ratelimit-output-tokens-reset',
  },
  { left: 'x-ratelimit-remaining-tokens', reset: 'x-ratelimit-reset-tokens' },
];

/**
 * Reads the headers of one response. `wallTime` (ms since 1970) is only for providers that name an instant and send no
 * `date`: with it their clock and ours need not agree. Of several token limits the tightest counts.
 */
export function readRateHeaders(headers: ResponseHeaders, wallTime: number): RateView {
  const sentAt = Date.parse(headers.get('date') ?? '');
  const now = Number.isNaN(sentAt) ? wallTime : sentAt;
  const requests = tightest(headers, requestSources, now);
  const tokens = tightest(headers, tokenSources, now);
  return {
    requestsLeft: requests?.left ?? null,
    requestsResetMs: requests?.resetMs ?? null,
    tokensLeft: tokens?.left ?? null,
    tokensResetMs: tokens?.resetMs ?? null,
  };
}

type Limit = { readonly left: number; readonly resetMs: number | null };

function tightest(headers: ResponseHeaders, sources: readonly Source[], now: number): Limit | null {
  let found: Limit | null = null;
  for (const source of sources) {
    const left = count(headers.get(source.left));
    if (left === null || (found !== null && found.left <= left)) continue;
    found = { left, resetMs: resetOf(headers.get(source.reset), now) };
  }
  return found;
}

function count(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : null;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** An instant (RFC 3339), seconds, or a duration such as `6m0s`, in milliseconds from now. */
function resetOf(text: string | null, now: number): number | null {
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
    return parts.reduce((sum, [, amount, unit]) => {
      return sum + Number(amount) * (unitMs[unit ?? ''] ?? 0);
    }, 0);
  }
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}
