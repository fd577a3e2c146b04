// Owns a user's response from a web page: requests it from the page's server, and polls until it is there (D26).
import { z } from 'zod';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { describe, TroupeError, toFailure } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { abortablePromise } from '../../../base/with-abort.ts';
import type { InputRequest, UserInput, UserResponse } from './user-input.ts';

/** Where a web page is asked for a response, and how long. */
export type StudioUserInputOptions = {
  /**
   * `POST <url>` with the agent answers `{ id }`; `GET <url>/<id>` answers 204 until there is a response, then
   * `{ text }`. A query of the url is that of every request.
   */
  readonly url: string | URL;
  /** Between two polls. Default 1,000. */
  readonly intervalMs?: number;
  /** Failures in a row that are put up with: no connection, status 429 or 5xx. Default 3. */
  readonly maxRetries?: number;
  /** Of one request. Default 10,000. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds to wait for the user's response. Default 3,600,000. */
  readonly timeoutMs?: number;
  /** What intervals and timeouts are measured on. Default: the clock of the machine. */
  readonly clock?: Clock;
};

const ms = z.number().min(1).max(2_147_483_647);
const optionsSchema = z.object({
  url: z.union(
    [z.url({ protocol: /^https?$/ }), z.instanceof(URL)],
    'expected an http or https address',
  ),
  intervalMs: ms.optional(),
  maxRetries: z.number().int().min(0).optional(),
  requestTimeoutMs: ms.optional(),
  timeoutMs: ms.optional(),
});
const askedSchema = z.object({ id: z.string().min(1) });
const responseSchema = z.object({
  text: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const maxBytes = 1_000_000;
const isPassing = (status: number): boolean => status === 429 || status >= 500;

/**
 * Requests a user's response from a server and polls until it has it. Rejects `web_failed` after more failures in a
 * row than allowed or an invalid answer, and `question_unanswered` when the user does not respond in time.
 */
export class StudioUserInput implements UserInput {
  readonly #base: URL;
  readonly #options: Required<Omit<StudioUserInputOptions, 'url'>>;
  #retries = 0;

  /** Throws `invalid_options` naming the field and the value seen. */
  constructor(options: StudioUserInputOptions) {
    const { clock = systemClock, ...rest } = options;
    const { url, ...given } = parseOptions(optionsSchema, rest, 'StudioUserInput');
    this.#base = new URL(url);
    this.#base.pathname = this.#base.pathname.replace(/\/$/, '');
    const { intervalMs = 1_000, maxRetries = 3 } = given;
    const { requestTimeoutMs = 10_000, timeoutMs = 3_600_000 } = given;
    this.#options = { intervalMs, maxRetries, requestTimeoutMs, timeoutMs, clock };
  }

  /** Requests that were tried again, over all reads. */
  get retries(): number {
    return this.#retries;
  }

  async read({ agent, signal: given }: InputRequest): Promise<UserResponse> {
    const { clock, timeoutMs, intervalMs } = this.#options;
    const over = new AbortController();
    const why = `nobody answered for ${agent.name} within ${timeoutMs} ms`;
    const stop = clock.after(timeoutMs, () =>
      over.abort(new TroupeError('question_unanswered', why)),
    );
    const signal = AbortSignal.any([given, over.signal]);
    try {
      const asked = await this.#request(this.#base, signal, { agent });
      const { id } = judged(askedSchema, asked);
      const question = this.#question(id);
      for (;;) {
        const reply = await this.#request(question, signal);
        if (reply !== null) return responseOf(judged(responseSchema, reply));
        await this.#pause(intervalMs, signal);
      }
    } finally {
      stop();
    }
  }

  #question(id: string): URL {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(id)}`;
    return url;
  }

  /** The server's answer, null for nothing yet; retried up to the allowed number of failures. */
  async #request(url: URL, signal: AbortSignal, body?: unknown): Promise<unknown> {
    const { maxRetries, intervalMs } = this.#options;
    for (let failures = 0; ; failures += 1) {
      const answer = await this.#try(url, signal, body);
      if (answer.isDone) return answer.value;
      if (failures >= maxRetries) {
        const times = `${failures + 1} ${failures === 0 ? 'try' : 'tries'}`;
        throw new TroupeError('web_failed', `the user's page: ${answer.why} after ${times}`);
      }
      this.#retries += 1;
      await this.#pause(intervalMs, signal);
    }
  }

  async #try(
    url: URL,
    signal: AbortSignal,
    body: unknown,
  ): Promise<{ isDone: true; value: unknown } | { isDone: false; why: string }> {
    const { clock, requestTimeoutMs } = this.#options;
    const slow = new AbortController();
    const why = `no answer within ${requestTimeoutMs} ms`;
    const stop = clock.after(requestTimeoutMs, () => slow.abort(new Error(why)));
    try {
      const response = await fetch(url, {
        signal: AbortSignal.any([signal, slow.signal]),
        redirect: 'error',
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            }),
      });
      const { status } = response;
      if (response.ok && status !== 204) return { isDone: true, value: await jsonOf(response) };
      await response.body?.cancel();
      if (status === 204) return { isDone: true, value: null };
      if (isPassing(status)) return { isDone: false, why: `status ${status}` };
      throw refused(`it answered with status ${status}`);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof TroupeError) throw thrown;
      return { isDone: false, why: toFailure(thrown).message };
    } finally {
      stop();
    }
  }

  #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return abortablePromise(signal, (resolve) => clock.after(pauseMs, resolve));
  }
}

/** The body's value; it is read no further than its limit. */
async function jsonOf(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw refused(`its answer has more than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is not JSON is reported as it is.
    throw refused(`its answer is no JSON: ${describe(text)}`);
  }
}

function judged<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  return parseOptions(schema, value, "the user's page", 'web_failed');
}

function responseOf({ text, metadata }: z.infer<typeof responseSchema>): UserResponse {
  return metadata === undefined ? { content: text } : { content: text, metadata };
}

function refused(why: string): TroupeError {
  return new TroupeError('web_failed', `the user's page: ${why}`);
}
