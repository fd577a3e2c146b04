// Owns one session with an MCP server: how it is reached, its list, its end, the SDK's client. Knows nothing of calls.
import type {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { boundedFetch } from '../../base/bounded-body.ts';
import { type TroupeError, toFailure } from '../../base/failures.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import { bounded } from './bounded.ts';
import { ChildTransport } from './child-transport.ts';
import type { ListedTool } from './mcp-tool.ts';
import { type McpServer, type McpSettings, scrubber } from './options.ts';
import type { McpSdk } from './sdk.ts';

type Transport = ChildTransport | StreamableHTTPClientTransport | SSEClientTransport;

export type ConnectionOptions = {
  readonly name: string;
  readonly server: McpServer;
  readonly settings: McpSettings;
  readonly sdk: McpSdk;
};

/** A server's streams last as long as its connection; the size of one message is bounded. */
const bounds = {
  whose: 'its answer',
  maxStreamBytes: Number.POSITIVE_INFINITY,
  maxBytes: 10_485_760,
  code: 'mcp_failed',
} as const;

/** The SDK's own timers never fire first: the deadlines are ours, on our clock. */
export const noTimeout = 2_147_483_647;
const timeout = noTimeout;
const graceMs = 1_000;

export type McpSession = {
  readonly client: Client;
  readonly transport: Transport;
  readonly tools: readonly ListedTool[];
  /** What it was given up for; null for another end. */
  readonly fault: () => TroupeError | null;
};

/**
 * Servers of before 2026 that end when they are asked what they speak are asked again, as they were used to; an address
 * that refuses streamable HTTP is tried as a server of before 2025, which speaks HTTP with server-sent events.
 */
export async function openSession(
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<McpSession> {
  const { server } = options;
  if (server.type === 'sse') return openSessionIn('legacy', { ...options, isOld: true }, signal);
  try {
    return await openSessionIn('auto', options, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (isOffended(error, options)) return openSessionIn('legacy', options, signal);
    if (server.type === 'http' || !isRefused(error, options)) throw error;
    try {
      return await openSessionIn('legacy', { ...options, isOld: true }, signal);
    } catch {
      // The owner of the server expects its first error.
      throw error;
    }
  }
}

function isOffended(error: unknown, { server, sdk }: ConnectionOptions): boolean {
  const origin = error instanceof Error ? (error.cause ?? error) : error;
  return (
    server.command !== undefined &&
    origin instanceof sdk.SdkError &&
    origin.code === sdk.SdkErrorCode.EraNegotiationFailed
  );
}

/** A status from 400 to 499 is how old servers answer what they do not know. */
function isRefused(error: unknown, { sdk }: ConnectionOptions): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof sdk.SdkHttpError) {
      const { status = 0 } = at;
      return status >= 400 && status < 500;
    }
  }
  return false;
}

type McpSessionOptions = ConnectionOptions & {
  /** Spoken to as before 2025. */
  readonly isOld?: boolean;
};

async function openSessionIn(
  mode: VersionNegotiationMode,
  options: McpSessionOptions,
  signal: AbortSignal,
): Promise<McpSession> {
  const { sdk, settings } = options;
  let fault: TroupeError | null = null;
  const onTooLong = (error: TroupeError): void => {
    fault = error;
    // The SDK would leave a call waiting whose stream broke.
    void client.close();
  };
  const transport = transportOf(options, boundedFetch({ ...bounds, onTooLong }));
  // A third of the time for a server that does not answer what it does not know.
  const probe = { timeoutMs: settings.connectTimeoutMs / 3 };
  const client = new sdk.Client(
    { name: 'troupe', version: '1' },
    { versionNegotiation: { mode, probe } },
  );
  // Everything out of order shows in a call or at the end of the connection; a stream of events that broke is that end,
  // since what comes after it would be another session.
  client.onerror = (error) => {
    if (error instanceof sdk.SseError) void client.close();
  };
  const end = (): Promise<void> => endSession({ client, transport }, settings);
  const stop = whenAborted(signal, () => void end());
  try {
    await client.connect(transport, { signal, timeout });
    const { tools } = await client.listTools(undefined, { signal, timeout });
    return { client, transport, tools, fault: () => fault };
  } catch (error) {
    await end();
    throw withComplaints(error, transport, scrubber(options.server));
  } finally {
    stop();
  }
}

function transportOf(
  { server, settings, sdk, isOld = false }: McpSessionOptions,
  fetch: typeof globalThis.fetch,
): Transport {
  const { command, args = [], env = {}, cwd, url, headers = {} } = server;
  if (url !== undefined && isOld) {
    return new sdk.SSEClientTransport(new URL(url), { fetch, requestInit: { headers } });
  }
  if (url !== undefined) {
    return new sdk.StreamableHTTPClientTransport(new URL(url), {
      fetch,
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

/** Ends the session, the connection, and a process with all that it started. Never rejects. */
export async function endSession(
  { client, transport }: Pick<McpSession, 'client' | 'transport'>,
  { clock }: McpSettings,
): Promise<void> {
  if ('terminateSession' in transport) {
    const late = () => new Error('the session was not ended in time');
    const bounds = { clock, timeoutMs: graceMs, late };
    // A session that its server does not want to end, or cannot, is the server's to forget.
    await bounded(() => transport.terminateSession(), bounds).catch(() => {});
  }
  await client.close();
  // A client that never got as far as its transport has not closed it.
  await transport.close();
}

/** Adds what the server wrote to its standard error, which usually explains why it cannot be used. */
function withComplaints(
  error: unknown,
  transport: Transport,
  scrub: (text: string) => string,
): unknown {
  if (!(transport instanceof ChildTransport)) return error;
  const { exit, complaints, hasMoreComplaints } = transport;
  // Scrubbed before it is cut: half a secret would not be found.
  const stderr = shortened(scrub(complaints).trim(), hasMoreComplaints);
  if (exit === null && stderr === '') return error;
  const reasons = [explain(error), exit ?? '', stderr === '' ? '' : `it said: ${stderr}`];
  return new Error(reasons.filter((reason) => reason !== '').join('; '), { cause: error });
}

const shownOfComplaints = 500;

/** The beginning and the end, where programs say what is wrong with them; the end only when it is one. */
function shortened(text: string, isCut: boolean): string {
  if (isCut) return `${text.slice(0, shownOfComplaints)} …`;
  if (text.length <= 2 * shownOfComplaints) return text;
  return `${text.slice(0, shownOfComplaints)} … ${text.slice(-shownOfComplaints)}`;
}

/** The message of an error, and that of its cause. */
export function explain(error: unknown): string {
  const { message } = toFailure(error);
  const cause = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
