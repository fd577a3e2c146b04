// A provider's line in manual time, and a provider whose every attempt the test answers. Asserts nothing.

import {
  RateLimitedClient,
  type RateLimitedClientOptions,
} from '#src/models/keys/rate-limited-client.js';
import { providerError } from '#src/models/providers/provider-failure.js';
import { defaultRetryPolicy } from '#src/models/retry.js';
import type { Rotation } from '#src/protocol/key-rotation.js';
import { ManualClock } from '#src/testing.js';
import { untilIdle } from './gateway-support.ts';

type Sent = {
  readonly agent: string;
  readonly key: number;
  answer(headers?: Record<string, string>): void;
  /** Headers of a response that goes on streaming. */
  begin(headers?: Record<string, string>): void;
  refuse(status: number, retryAfterMs?: number, headers?: Record<string, string>): void;
};

export function arrangeClient(options: Partial<RateLimitedClientOptions> = {}) {
  const clock = new ManualClock();
  const rotations: Rotation[] = [];
  const reports: string[] = [];
  const client = new RateLimitedClient({
    endpoint: 'anthropic at http://127.0.0.1:1',
    labels: ['key 1', 'key 2'],
    strategy: 'least_used',
    clock,
    random: () => 0,
    policy: defaultRetryPolicy,
    initialCalls: 1,
    onRotated: (rotation) => rotations.push(rotation),
    onOutage: (message) => reports.push(message),
    onOutageWait: (agent, isWaiting) => reports.push(`${agent} ${isWaiting ? 'waits' : 'goes on'}`),
    ...options,
  });
  const sent: Sent[] = [];
  const ends: string[] = [];
  const call = (
    agent: string,
    {
      tokens = 1,
      hasStreamed = false,
      hasFallback = false,
      signal = new AbortController().signal,
    } = {},
  ): Promise<void> =>
    client
      .run(
        {
          agent: { id: agent, path: `/${agent}` },
          signal,
          tokens,
          hasFallback,
          hasStreamed: () => hasStreamed,
        },
        (key, onResponse) =>
          new Promise<string>((resolve, reject) => {
            const say = (status: number, headers: Record<string, string> = {}) =>
              onResponse(status, new Headers(headers));
            sent.push({
              agent,
              key,
              answer: (headers) => {
                say(200, headers);
                resolve('answered');
              },
              begin: (headers) => say(200, headers),
              refuse: (status, retryAfterMs, headers) => {
                say(status, headers);
                const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
                reject(providerError({ status, message: `${status} said`, ...wait }));
              },
            });
          }),
      )
      .then(
        (end) => void ends.push(`${agent} ${end}`),
        (error: { code: string }) => void ends.push(`${agent} ${error.code}`),
      );
  return { clock, client, rotations, reports, sent, ends, call, untilIdle };
}
