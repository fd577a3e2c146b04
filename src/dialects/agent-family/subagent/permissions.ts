// Owns what a host lends its subagents: the very handles, their identity tokens, and the limits, which are copied. Pure.
import { z } from 'zod';
import { describe, TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import type { StateStore } from '../base/state-store.ts';
import type { Span, TraceProvider } from './tracing.ts';
import { checkedRoot, type SubagentFilesystem } from './virtual-files.ts';

/** The log of a subagent, for operators; shaped like pino's. */
type SubagentLogger = {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};

/** What a subagent may spend and may not use. Copied: a change by the host changes no bundle that was made. */
export type SafetyLimits = {
  /** Tools it is refused, whatever it was allowed. */
  readonly disabledTools?: readonly string[];
  /** Model responses of one call. */
  readonly maxTurns?: number;
  /** Tokens of one call, input and output; no model call begins once they are used. */
  readonly maxTokens?: number;
  /** Tool calls of one call. */
  readonly maxToolCalls?: number;
  /**
   * Milliseconds one run of a call may take: it has one, and another after each switch of tool groups. Default: none of
   * its own.
   */
  readonly totalTimeoutMs?: number;
};

const sharedHandles = [
  'logger',
  'traceProvider',
  'filesystem',
  'session',
  'longTermMemory',
] as const;

type SharedHandle = (typeof sharedHandles)[number];

/** What a host lends. A tool of the subagent that runs in the service gets the very objects. */
export type Permissions = {
  /** Receives warnings about subagents. */
  readonly logger: SubagentLogger;
  /** Opens a span for each call. Default: none. */
  readonly traceProvider?: TraceProvider;
  /** The host's span that is the parent of its subagents' spans, when no call names a nearer one. */
  readonly span?: Span;
  /** The files subagents may reach. Default: none. */
  readonly filesystem?: SubagentFilesystem;
  /** Where states are saved; a subagent's own keys are below `subagents/<name>/`. */
  readonly session?: StateStore;
  /** Memory that outlives a run and is shared between agents; what it is is the host's affair. */
  readonly longTermMemory?: object;
  /** What each call may use. Default: no limits. */
  readonly safetyLimits?: SafetyLimits;
  /** The name of the host. */
  readonly supervisorName: string;
};

/** What a subagent has of its host: the same objects, and limits of its own. */
export type PermissionBundle = Omit<Permissions, 'safetyLimits'> & {
  /** A copy of the limits. */
  readonly safetyLimits: SafetyLimits;
  /** Names each handle that is lent: two bundles name one object the same, and two objects never. */
  readonly tokens: Readonly<Partial<Record<SharedHandle, string>>>;
};

/** What of a bundle crosses a thread: the names of its handles, and what is plain in it. */
export type PermissionProxy = Pick<PermissionBundle, 'tokens' | 'safetyLimits' | 'supervisorName'>;

const positive = z.number().int().min(1);
const isObject = z.custom(
  (value) => typeof value === 'object' && value !== null,
  'expected an object',
);
const schema = z.strictObject({
  logger: z.custom(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      typeof Reflect.get(value, 'warn') === 'function',
    'expected an object with warn',
  ),
  traceProvider: isObject.optional(),
  span: isObject.optional(),
  filesystem: isObject.optional(),
  session: isObject.optional(),
  longTermMemory: isObject.optional(),
  safetyLimits: z
    .strictObject({
      disabledTools: z.array(z.string().min(1)).optional(),
      maxTurns: positive.optional(),
      maxTokens: positive.optional(),
      maxToolCalls: z.number().int().min(0).optional(),
      totalTimeoutMs: z.number().positive().optional(),
    })
    .optional(),
  supervisorName: z.string().min(1),
});

/** Tokens of handles, for as long as the handles live. */
const tokenOf = new WeakMap<object, string>();
const lastOf = new WeakMap<typeof tokenOf, number>();

/** Bundles that were made here. */
const bundles = new WeakSet<object>();

/** A bundle of the very handles and a copy of the limits; a bundle is one already. Throws `invalid_options` naming the field and the value seen. */
export function permissionBundle(permissions: Permissions): PermissionBundle {
  if (isBundle(permissions)) return permissions;
  parseOptions(schema, permissions, 'permissions');
  if (permissions.filesystem !== undefined) checkedRoot(permissions.filesystem);
  const tokens: Partial<Record<SharedHandle, string>> = {};
  for (const name of sharedHandles) {
    const handle = permissions[name];
    if (handle !== undefined) tokens[name] = identityToken(name, handle);
  }
  const bundle: PermissionBundle = Object.freeze({
    ...permissions,
    safetyLimits: copyOf(permissions.safetyLimits ?? {}),
    tokens: Object.freeze(tokens),
  });
  bundles.add(bundle);
  return bundle;
}

function isBundle(permissions: Permissions): permissions is PermissionBundle {
  return bundles.has(permissions);
}

function copyOf(limits: SafetyLimits): SafetyLimits {
  const { disabledTools } = limits;
  return Object.freeze({
    ...limits,
    ...(disabledTools === undefined ? {} : { disabledTools: Object.freeze([...disabledTools]) }),
  });
}

/** What may cross a thread of a bundle: plain data only. */
export function permissionProxy({
  tokens,
  safetyLimits,
  supervisorName,
}: PermissionBundle): PermissionProxy {
  return { tokens, safetyLimits, supervisorName };
}

/** The very handle that a token of a proxy names. Throws `invalid_options` for a token that is not of this bundle. */
export function handleOf(bundle: PermissionBundle, token: string): object {
  for (const name of sharedHandles) {
    const handle = bundle[name];
    if (handle !== undefined && bundle.tokens[name] === token) return handle;
  }
  throw new TroupeError('invalid_options', `no handle of this bundle is named ${describe(token)}`);
}

function identityToken(name: SharedHandle, handle: object): string {
  const known = tokenOf.get(handle);
  if (known !== undefined) return known;
  const number = (lastOf.get(tokenOf) ?? 0) + 1;
  lastOf.set(tokenOf, number);
  const token = `${name}-${number}`;
  tokenOf.set(handle, token);
  return token;
}
