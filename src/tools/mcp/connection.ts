// Owns one MCP server while it is in use: its calls, its line, a new line when one was lost, its end.
import { TroupeError } from '../../base/failures.ts';
import type { ToolContext, ToolOutput } from '../tool.ts';
import { textOfAnswer, toBlocks } from './answer.ts';
import { bounded } from './bounded.ts';
import { ChildTransport } from './child-transport.ts';
import {
  type ConnectionOptions,
  endSession,
  explain,
  type McpSession,
  noTimeout,
  openSession,
} from './mcp-session.ts';
import type { ListedTool } from './mcp-tool.ts';
import { placeOf, scrubber } from './options.ts';
import type { McpSdk } from './sdk.ts';

const minPauseMs = 500;
const maxPauseMs = 30_000;

/** Milliseconds before a line may be opened again, by losses and failures since the last answer. Pure. */
export function reconnectPauseMs(failures: number): number {
  if (failures <= 1) return 0;
  return Math.min(minPauseMs * 2 ** Math.min(failures - 2, 10), maxPauseMs);
}

/** A server that answered, with the tools it listed. */
export class McpConnection {
  readonly name: string;
  readonly tools: readonly ListedTool[];
  readonly #options: ConnectionOptions;
  readonly #scrub: (text: string) => string;
  readonly #ended = new AbortController();
  #session: McpSession;
  #state: 'open' | 'lost' | 'closed' = 'open';
  /** Since the last answer. */
  #failures = 0;
  #notBefore = 0;
  #opening: Promise<McpSession> | null = null;
  #closing: Promise<void> | null = null;

  private constructor(options: ConnectionOptions, session: McpSession) {
    this.name = options.name;
    this.tools = session.tools;
    this.#options = options;
    this.#scrub = scrubber(options.server);
    this.#session = session;
    this.#adopt(session);
  }

  /** Connects and lists. Rejects `mcp_unavailable`, with nothing left behind; no secret is in the message. */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    return new McpConnection(options, await openInTime(options));
  }

  /**
   * What a tool answers. A server whose connection was lost is reconnected once, not before a pause that grows with
   * each failure; a call within the pause fails at once. A call is never sent twice.
   *
   * Throws `mcp_failed` when the server reports a failed call, `mcp_unavailable` when it cannot be reached (retryable
   * unless it was closed), `tool_timeout` when the time is over, the signal's reason when it aborts.
   */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolOutput> {
    const { clock, timeoutMs } = this.#options.settings;
    const late = () =>
      new TroupeError('tool_timeout', `MCP server "${this.name}" took longer than ${timeoutMs} ms`);
    const work = async (signal: AbortSignal) => {
      const session = await this.#ready();
      signal.throwIfAborted();
      return this.#ask(session, { name, input }, { signal, context });
    };
    const answer = await bounded(work, { clock, timeoutMs, late, signal: context.signal });
    if (answer.isError === true) {
      throw new TroupeError('mcp_failed', this.#scrub(textOfAnswer(answer)));
    }
    const blocks = toBlocks(answer);
    return blocks.length === 0 ? undefined : blocks;
  }

  async #ask(
    session: McpSession,
    { name, input }: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
    { signal, context }: { readonly signal: AbortSignal; readonly context: ToolContext },
  ) {
    try {
      const answer = await session.client.callTool(
        { name, arguments: { ...input } },
        {
          signal,
          timeout: noTimeout,
          onprogress: ({ progress, total = 0 }) => {
            const fraction = progress / total;
            if (fraction >= 0 && fraction <= 1) context.progress(fraction);
            else context.heartbeat();
          },
        },
      );
      if (this.#state === 'open') this.#failures = 0;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw this.#translated(error, session);
    }
  }

  /** Ends the connection, and a process with all that it started. Resolves when nothing is left; never rejects. */
  close(): Promise<void> {
    this.#state = 'closed';
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const ending = endSession(this.#session, this.#options.settings);
    this.#ended.abort(this.#gone());
    await Promise.allSettled([this.#opening]);
    await ending;
  }

  /** The line, or a new one when it was lost; one for all calls that wait. */
  async #ready(): Promise<McpSession> {
    if (this.#isClosed) throw this.#gone();
    if (this.#state === 'open') return this.#session;
    if (this.#opening !== null) return this.#opening;
    const waitMs = this.#notBefore - this.#options.settings.clock.now();
    if (waitMs > 0)
      throw this.#gone(`; it is connected again in ${Math.ceil(waitMs)} ms at the earliest`);
    this.#opening = this.#reopen().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #reopen(): Promise<McpSession> {
    // What the lost one had started is gone before it is started again.
    await endSession(this.#session, this.#options.settings);
    try {
      const session = await openInTime(this.#options, this.#ended.signal);
      if (this.#isClosed) {
        await endSession(session, this.#options.settings);
        throw this.#gone();
      }
      this.#session = session;
      this.#state = 'open';
      this.#adopt(session);
      return session;
    } catch (error) {
      this.#failed();
      throw error;
    }
  }

  /** Asked anew after each wait: closing does not wait for what it ends. */
  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #adopt(session: McpSession): void {
    const { client, transport } = session;
    client.onclose = () => this.#lose(session);
    if (!(transport instanceof ChildTransport)) return;
    if (transport.exit !== null) this.#lose(session);
    transport.rest();
  }

  #lose(session: McpSession): void {
    if (this.#state !== 'open' || this.#session !== session) return;
    this.#state = 'lost';
    this.#failed();
  }

  #failed(): void {
    this.#failures += 1;
    const pause = reconnectPauseMs(this.#failures);
    this.#notBefore = this.#options.settings.clock.now() + pause;
  }

  #translated(error: unknown, session: McpSession): TroupeError {
    const { sdk } = this.#options;
    const { SdkError, SdkErrorCode } = sdk;
    const isCut =
      error instanceof SdkError &&
      (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
    if (isForgotten(error, session, sdk)) this.#lose(session);
    if (isCut || this.#state !== 'open' || this.#session !== session) return this.#gone();
    // What `fetch` throws when no server answers.
    const isUnsent = error instanceof TroupeError && error.code === 'mcp_unavailable';
    const isUnreachable = isUnsent || error instanceof TypeError;
    const message = this.#scrub(`MCP server "${this.name}": ${explain(error)}`);
    return new TroupeError(isUnreachable ? 'mcp_unavailable' : 'mcp_failed', message, {
      retryable: isUnreachable,
    });
  }

  #gone(more = ''): TroupeError {
    const { transport, fault } = this.#session;
    const exit = transport instanceof ChildTransport ? transport.exit : null;
    const why = fault()?.message ?? exit;
    const detail = why === null ? '' : ` (${why})`;
    const message = `MCP server "${this.name}" ${this.#isClosed ? 'was closed' : 'is gone'}${detail}${more}`;
    return new TroupeError('mcp_unavailable', message, { retryable: !this.#isClosed });
  }
}

/** The server ended the session: a new one has to be agreed on. */
function isForgotten(error: unknown, { transport }: McpSession, sdk: McpSdk): boolean {
  if (transport instanceof sdk.SSEClientTransport) {
    // Only the text contains the status.
    return error instanceof Error && error.message.includes('(HTTP 404)');
  }
  const hasSession = 'sessionId' in transport && transport.sessionId !== undefined;
  return hasSession && error instanceof sdk.SdkHttpError && error.status === 404;
}

/** Opened within the time there is for it. Rejects `mcp_unavailable`, with nothing left behind. */
async function openInTime(options: ConnectionOptions, signal?: AbortSignal): Promise<McpSession> {
  const { name, server, settings } = options;
  const { clock, connectTimeoutMs: timeoutMs } = settings;
  const where = `MCP server "${name}" (${placeOf(server)})`;
  const late = () => new Error(`it was not ready within ${timeoutMs} ms`);
  let opening: Promise<McpSession> | null = null;
  const open = (ended: AbortSignal): Promise<McpSession> => {
    opening = openSession(options, ended);
    return opening;
  };
  const bounds = { clock, timeoutMs, late, ...(signal === undefined ? {} : { signal }) };
  try {
    return await bounded(open, bounds);
  } catch (error) {
    // Once given up, it ends by itself; what it had started is gone before the caller receives the error.
    await Promise.allSettled([opening]);
    const message = scrubber(server)(`${where} cannot be used: ${explain(error)}`);
    throw new TroupeError('mcp_unavailable', message, { retryable: true });
  }
}
