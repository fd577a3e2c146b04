// Owns one MCP server while it is connected: how it is reached, its list, its calls, its end. Holds the SDK's client.
import type {
  Client,
  StreamableHTTPClientTransport,
  VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { TroupeError, toFailure } from '../../errors.ts';
import type { ToolContext, ToolOutput } from '../tool.ts';
import { textOfAnswer, toBlocks } from './answer.ts';
import { bounded } from './bounded.ts';
import { ChildTransport } from './child-transport.ts';
import type { ListedTool } from './mcp-tool.ts';
import { type McpServer, type McpSettings, placeOf, scrubber } from './options.ts';
import type { McpSdk } from './sdk.ts';

type Transport = ChildTransport | StreamableHTTPClientTransport;

export type ConnectionOptions = {
  readonly name: string;
  readonly server: McpServer;
  readonly settings: McpSettings;
  readonly sdk: McpSdk;
};

/** The SDK's own timers never fire first: the deadlines are ours, on our clock. */
const timeout = 2_147_483_647;
const graceMs = 1_000;

/** A server that answered, with the tools it listed. */
export class McpConnection {
  readonly name: string;
  readonly tools: readonly ListedTool[];
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #scrub: (text: string) => string;
  #state: 'open' | 'lost' | 'closed' = 'open';
  #closing: Promise<void> | null = null;

  private constructor(options: ConnectionOptions, line: Line) {
    this.name = options.name;
    this.tools = line.tools;
    this.#options = options;
    this.#client = line.client;
    this.#transport = line.transport;
    this.#scrub = scrubber(options.server);
    line.client.onclose = () => {
      if (this.#state === 'open') this.#state = 'lost';
    };
    if (line.transport instanceof ChildTransport) {
      if (line.transport.exit !== null) this.#state = 'lost';
      line.transport.rest();
    }
  }

  /** Connects and lists. Rejects `mcp_unavailable`, with nothing left behind; no secret is in the message. */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    const { name, server, settings } = options;
    const { clock, connectTimeoutMs: timeoutMs } = settings;
    const where = `MCP server "${name}" (${placeOf(server)})`;
    const late = () => new Error(`it was not ready within ${timeoutMs} ms`);
    let opening: Promise<Line> | null = null;
    const open = (signal: AbortSignal): Promise<Line> => {
      opening = openLine(options, signal);
      return opening;
    };
    try {
      return new McpConnection(options, await bounded(open, { clock, timeoutMs, late }));
    } catch (error) {
      // Given up, it ends by itself; what it had started is gone before anybody hears of it.
      await Promise.allSettled([opening]);
      const message = scrubber(server)(`${where} cannot be used: ${explain(error)}`);
      throw new TroupeError('mcp_unavailable', message, { retryable: true });
    }
  }

  /**
   * What a tool answers. Throws `mcp_failed` when the server says that the call failed, `mcp_unavailable` when there is no
   * server any more, `tool_timeout` when the time is over, the signal's reason when it aborts.
   */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolOutput> {
    const { clock, timeoutMs } = this.#options.settings;
    if (this.#state !== 'open') throw this.#gone();
    const late = () =>
      new TroupeError('tool_timeout', `MCP server "${this.name}" took longer than ${timeoutMs} ms`);
    const answer = await bounded((signal) => this.#ask(name, input, { signal, context }), {
      clock,
      timeoutMs,
      late,
      signal: context.signal,
    });
    if (answer.isError === true) {
      throw new TroupeError('mcp_failed', this.#scrub(textOfAnswer(answer)));
    }
    const blocks = toBlocks(answer);
    return blocks.length === 0 ? undefined : blocks;
  }

  async #ask(
    name: string,
    input: Readonly<Record<string, unknown>>,
    { signal, context }: { readonly signal: AbortSignal; readonly context: ToolContext },
  ) {
    try {
      return await this.#client.callTool(
        { name, arguments: { ...input } },
        {
          signal,
          timeout,
          onprogress: ({ progress, total = 0 }) => {
            const fraction = progress / total;
            if (fraction >= 0 && fraction <= 1) context.progress(fraction);
            else context.heartbeat();
          },
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      throw this.#translated(error);
    }
  }

  /** Ends the connection, and a process with all that it started. Resolves when nothing is left; never rejects. */
  close(): Promise<void> {
    this.#state = 'closed';
    this.#closing ??= endLine(this.#client, this.#transport, this.#options.settings);
    return this.#closing;
  }

  #translated(error: unknown): TroupeError {
    const { SdkError, SdkErrorCode } = this.#options.sdk;
    const isCut =
      error instanceof SdkError &&
      (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
    if (isCut || this.#state !== 'open') return this.#gone();
    // What `fetch` throws when nobody answers.
    const code = error instanceof TypeError ? 'mcp_unavailable' : 'mcp_failed';
    return new TroupeError(code, this.#scrub(`MCP server "${this.name}": ${explain(error)}`));
  }

  #gone(): TroupeError {
    const exit = this.#transport instanceof ChildTransport ? this.#transport.exit : null;
    const how = this.#state === 'closed' ? 'was closed' : 'is gone';
    const detail = exit === null ? '' : ` (${exit})`;
    return new TroupeError('mcp_unavailable', `MCP server "${this.name}" ${how}${detail}`);
  }
}

type Line = {
  readonly client: Client;
  readonly transport: Transport;
  readonly tools: readonly ListedTool[];
};

/** Servers of before 2026 that end when they are asked what they speak are asked again, as they were used to. */
async function openLine(options: ConnectionOptions, signal: AbortSignal): Promise<Line> {
  const { SdkError, SdkErrorCode } = options.sdk;
  try {
    return await openLineIn('auto', options, signal);
  } catch (error) {
    const origin = error instanceof Error ? (error.cause ?? error) : error;
    const isOffended =
      options.server.command !== undefined &&
      origin instanceof SdkError &&
      origin.code === SdkErrorCode.EraNegotiationFailed;
    if (!isOffended || signal.aborted) throw error;
    return openLineIn('legacy', options, signal);
  }
}

async function openLineIn(
  mode: VersionNegotiationMode,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Line> {
  const { sdk, settings } = options;
  const transport = transportOf(options);
  // A third of the time for a server that does not answer what it does not know.
  const probe = { timeoutMs: settings.connectTimeoutMs / 3 };
  const client = new sdk.Client(
    { name: 'troupe', version: '1' },
    { versionNegotiation: { mode, probe } },
  );
  // Everything out of order shows in a call or at the end of the connection.
  client.onerror = () => {};
  const end = (): Promise<void> => endLine(client, transport, settings);
  const onAbort = (): void => void end();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await client.connect(transport, { signal, timeout });
    const { tools } = await client.listTools(undefined, { signal, timeout });
    return { client, transport, tools };
  } catch (error) {
    await end();
    throw withComplaints(error, transport, scrubber(options.server));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function transportOf({ server, settings, sdk }: ConnectionOptions): Transport {
  const { command, args = [], env = {}, cwd, url, headers = {} } = server;
  if (url !== undefined) {
    return new sdk.StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      // A call whose connection broke is an error at once.
      reconnectionOptions: {
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 0,
      },
    });
  }
  return new ChildTransport({
    command: command ?? '',
    args,
    env: { ...sdk.getDefaultEnvironment(), ...env },
    cwd,
    clock: settings.clock,
    graceMs,
    buffer: new sdk.ReadBuffer(),
  });
}

async function endLine(
  client: Client,
  transport: Transport,
  { clock }: McpSettings,
): Promise<void> {
  if (!(transport instanceof ChildTransport)) {
    const late = () => new Error('the session was not ended in time');
    const bounds = { clock, timeoutMs: graceMs, late };
    // A session that its server does not want to end, or cannot, is the server's to forget.
    await bounded(() => transport.terminateSession(), bounds).catch(() => {});
  }
  await client.close();
  // A client that never got as far as its transport has not closed it.
  await transport.close();
}

/** What a server that could not be used wrote to its standard error says why, more often than not. */
function withComplaints(
  error: unknown,
  transport: Transport,
  scrub: (text: string) => string,
): unknown {
  if (!(transport instanceof ChildTransport)) return error;
  const { exit, complaints, hasMoreComplaints } = transport;
  // Scrubbed before it is cut: half a secret would not be found.
  const said = shortened(scrub(complaints).trim(), hasMoreComplaints);
  if (exit === null && said === '') return error;
  const words = [explain(error), exit ?? '', said === '' ? '' : `it said: ${said}`];
  return new Error(words.filter((word) => word !== '').join('; '), { cause: error });
}

const shownOfComplaints = 500;

/** The beginning and the end, where programs say what is wrong with them; the end only when it is one. */
function shortened(text: string, isCut: boolean): string {
  if (isCut) return `${text.slice(0, shownOfComplaints)} …`;
  if (text.length <= 2 * shownOfComplaints) return text;
  return `${text.slice(0, shownOfComplaints)} … ${text.slice(-shownOfComplaints)}`;
}

function explain(error: unknown): string {
  const { message } = toFailure(error);
  const cause = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
