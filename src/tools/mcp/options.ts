// Owns the configuration of `connectMcp`: its shape, its check, and what of it may be shown.
import { z } from 'zod';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseOptions } from '../../base/parse-options.ts';

/** A server that is started as a child process and spoken to over its standard input and output. */
export type McpCommand = {
  readonly type?: 'stdio';
  /** The program, looked up in PATH. */
  readonly command: string;
  /** Its arguments. Default: none. */
  readonly args?: readonly string[];
  /** Added to a few harmless variables of this process (PATH, HOME and the like); nothing else is handed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it runs in. Default: that of this process. */
  readonly cwd?: string;
};

/** A server that listens elsewhere. */
export type McpAddress = {
  /**
   * `http` is streamable HTTP, `sse` the HTTP with server-sent events of before 2025. Default: streamable HTTP, and the older
   * one when the server refuses that with a status from 400 to 499.
   */
  readonly type?: 'http' | 'sse';
  /** http or https, without a user or password in it. */
  readonly url: string;
  /** Sent with every request, to this origin only. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** The configuration that other programs for MCP take as well, server by name. */
export type McpConfig = {
  /** Servers by name; the name is part of what their tools are called. */
  readonly mcpServers: Readonly<Record<string, McpCommand | McpAddress>>;
};

/** Time limits of `connectMcp`. */
export type McpOptions = {
  /** Milliseconds one call may take. Default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds a server has to start, agree on a version and list its tools. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** What the time limits are measured on. Default: the clock of the machine. */
  readonly clock?: Clock;
};

const maxTimeoutMs = 2_147_483_647;
const texts = z.record(z.string(), z.string('expected text'));
const timeout = z.number().positive().max(maxTimeoutMs);

const serverSchema = z
  .strictObject({
    type: z.enum(['stdio', 'http', 'sse']).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().min(1).optional(),
    url: z
      .string()
      .refine(isAddress, 'expected an http or https address without a user or password in it')
      .optional(),
    headers: texts.optional(),
  })
  .superRefine((server, { addIssue }) => {
    const isChild = server.command !== undefined;
    if (isChild === (server.url !== undefined)) {
      addIssue({ code: 'custom', message: 'expected either a command or a url' });
      return;
    }
    const kind = isChild ? 'stdio' : 'http';
    const foreign = isChild ? (['headers'] as const) : (['args', 'env', 'cwd'] as const);
    for (const field of foreign) {
      if (server[field] === undefined) continue;
      addIssue({ code: 'custom', path: [field], message: `a ${kind} server takes no such field` });
    }
    const types: readonly string[] = isChild ? ['stdio'] : ['http', 'sse'];
    if (server.type !== undefined && !types.includes(server.type)) {
      const message = `expected ${types.map((type) => `"${type}"`).join(' or ')}`;
      addIssue({ code: 'custom', path: ['type'], message });
    }
  });

export type McpServer = z.infer<typeof serverSchema>;

const schema = z.strictObject({
  mcpServers: z.record(z.string().min(1), serverSchema),
  timeoutMs: timeout.default(60_000),
  connectTimeoutMs: timeout.default(30_000),
  clock: z
    .custom<Clock>((value) => isRecord(value) && 'after' in value, 'expected a clock')
    .default(() => systemClock),
});

export type McpSettings = z.infer<typeof schema>;

/**
 * The configuration with its defaults. Throws `invalid_options` naming the field and the value seen; values of `args`,
 * `env` and `headers` are never shown.
 */
export function parseMcp(config: McpConfig, options: McpOptions): McpSettings {
  const shown = { ...options, ...(isRecord(config) ? config : { mcpServers: config }) };
  // What is judged first is what may be shown: it is wrong exactly where the real one is.
  parseOptions(schema, { ...shown, mcpServers: masked(shown.mcpServers) }, 'connectMcp');
  return parseOptions(schema, shown, 'connectMcp');
}

/** Why a configuration cannot have this server; null when it can. None of its values is shown. */
export function mcpServerProblem(name: string, server: unknown): string | null {
  const { error } = schema.safeParse({ mcpServers: { [name]: server } });
  if (error === undefined) return null;
  const [issue] = error.issues;
  // An issue names the field and what it should be, never what it is.
  return `${issue?.path.join('.') ?? 'mcpServers'}: ${issue?.message}`;
}

/** What a connection is to be called in texts: its command, or its address without a query. */
export function placeOf({ command, url }: McpServer): string {
  if (url === undefined) return command ?? '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Shown as a value that was there and was no text. */
const hidden = { toJSON: () => '[value]' };
const secretFields: ReadonlySet<string> = new Set(['args', 'env', 'headers']);

function masked(value: unknown, isSecret = false): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => masked(each, isSecret));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (name === 'url' && typeof inner === 'string') return [name, shownAddress(inner)];
        // An absent field is absent, not hidden.
        return [
          name,
          inner === undefined ? inner : masked(inner, isSecret || secretFields.has(name)),
        ];
      }),
    );
  }
  if (!isSecret) return value;
  return typeof value === 'string' ? '[value]' : hidden;
}

function shownAddress(text: string): string {
  if (!URL.canParse(text)) return text;
  const address = new URL(text);
  if (address.username !== '' || address.password !== '') address.username = '***';
  address.password = '';
  address.search = '';
  return address.href;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Shorter values occur in ordinary text, and no secret is that short. */
const minSecret = 4;

/**
 * A function that takes out of a text the values of `env` and `headers`, a query, and what of `args` may be a secret; the
 * other arguments, as a script and a folder, are what an error is understood by.
 */
export function scrubber(server: McpServer): (text: string) => string {
  const { args = [], env = {}, headers = {}, url } = server;
  const query = url === undefined ? [] : queryOf(url);
  const values = [...Object.values(env), ...Object.values(headers), ...query, ...secretsOf(args)];
  const forms = values
    // A scheme and its token, as in `Bearer …`: the token alone is the secret.
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .flatMap((value) => [value, encoded(value), JSON.stringify(value).slice(1, -1)])
    .filter((form) => form.length >= minSecret)
    .sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '[value]'), text);
}

/** Matches names of options and variables whose values are secret. */
const secretName = /key|token|secret|pass|pwd|auth|cred|cookie|header|bearer/i;
/** Long, of letters and digits, and no word, path or version: what keys look like, by whatever name they come. */
const looksLikeKey = /^(?=.*\d)(?=.*[a-z])[\w+=-]{16,}$/i;

/** The values of `--api-key …`, `--api-key=…` and `API_KEY=…`, what looks like a key, and what an address hides. */
function secretsOf(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [, name = '', value = ''] = /^([^=\s]*)=(.*)$/s.exec(arg) ?? [];
    const before = args[index - 1] ?? '';
    const isNamed = before.startsWith('-') && !before.includes('=') && secretName.test(before);
    return [
      ...(isNamed || (looksLikeKey.test(arg) && !arg.startsWith('-')) ? [arg] : []),
      ...(secretName.test(name) || looksLikeKey.test(value) ? [value] : []),
      ...[arg, value].flatMap(hiddenInAddress),
    ];
  });
}

function hiddenInAddress(text: string): readonly string[] {
  if (!text.includes('://') || !URL.canParse(text)) return [];
  return [new URL(text).password, ...queryOf(text)];
}

function queryOf(address: string): readonly string[] {
  return [...new URL(address).searchParams.values()];
}

/** The text as encoded in an address; a lone surrogate is encoded as an unknown character. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
