// Owns the closed list of failure codes, their plain form and their thrown form. Knows no actor, model or tool.
import { plainDetail } from './plain-detail.ts';
import { hideValues, holdsSecrets, isKeyName, maskKeys, maskShapes } from './secret-text.ts';

/** Every way in which something can be refused or fail. Closed: a new situation gets a new code here. */
export const failureCodes = [
  // messages and mailboxes
  'not_plain',
  'outbox_full',
  'mailbox_full',
  'no_such_actor',
  'actor_terminated',
  'ask_timeout',
  'ask_without_deadline',
  'would_deadlock',
  'stash_overflow',
  'undeserialisable',
  'in_doubt',
  'stale',
  'no_reply',
  'refused',
  'unknown_method',
  'reply_in_flight',
  // actors and threads
  'name_taken',
  'module_failed',
  'spawn_failed',
  'snapshot_failed',
  'activation_failed',
  'crashed',
  'thread_exited',
  'out_of_memory',
  'link_violation',
  'service_unknown',
  'restart_intensity',
  // signals
  'interrupted',
  'stopped',
  'killed',
  'wedged',
  'aborted',
  // admission: the name of the limit
  'interrupting',
  'paused',
  'closed',
  'max_spawn_depth',
  'max_concurrent_children',
  'max_live_agents',
  'max_queued',
  'max_total_agents',
  // clocks and budgets
  'idle_timeout',
  'total_timeout',
  'tool_timeout',
  'shutdown_timeout',
  'max_turns',
  'budget_tokens',
  'budget_cost',
  'output_invalid',
  // misuse
  'invalid_options',
  'invalid_task',
  'invalid_agent',
  'invalid_tool',
  'unknown_agent',
  'unknown_toolset',
  'unknown_skill',
  'unknown_task',
  'duplicate_task',
  'unknown_question',
  // models
  'model_missing',
  'model_unknown',
  'model_key_missing',
  'model_key_wrong_host',
  'model_setting_refused',
  'model_price_missing',
  'model_package_missing',
  'credentials_spent',
  'model_auth',
  'model_rate_limited',
  'model_overloaded',
  'model_timeout',
  'model_disconnected',
  'model_bad_request',
  'model_bad_response',
  'model_empty_answer',
  'model_refused',
  'model_window_exceeded',
  'model_output_limit',
  'model_failed',
  'gateway_lost',
  'life_ended',
  'script_exhausted',
  'script_unconsumed',
  'cassette_refused',
  'cassette_mismatch',
  'cassette_exhausted',
  'cassette_unconsumed',
  // tools
  'unknown_tool',
  'tool_denied',
  'agent_denied',
  'tool_arguments_invalid',
  'tool_failed',
  'tool_module_failed',
  'outside_workspace',
  'file_refused',
  'approval_denied',
  'question_unanswered',
  'hook_denied',
  'hook_failed',
  'terminal_failed',
  'web_refused',
  'web_failed',
  'mcp_package_missing',
  'mcp_unavailable',
  'mcp_failed',
  'log_file_failed',
  // sessions
  'board_off',
  // a defect of ours
  'internal',
] as const;

export type FailureCode = (typeof failureCodes)[number];

const knownCodes: ReadonlySet<string> = new Set(failureCodes);

/** A failure as plain data: what crosses threads, events and outcomes. */
export type Failure = {
  readonly code: FailureCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly detail?: Readonly<Record<string, unknown>>;
};

type FailureOptions = {
  readonly retryable?: boolean;
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** Makes a plain failure; `retryable` is false unless said otherwise. */
export function failure(code: FailureCode, message: string, options: FailureOptions = {}): Failure {
  const { retryable = false, detail } = options;
  return detail === undefined ? { code, message, retryable } : { code, message, retryable, detail };
}

/** The one error class of Troupe. Compare `code`, never the message or the class. */
export class TroupeError extends Error {
  override readonly name = 'TroupeError';
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions & ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail;
  }

  /** The thrown form of a plain failure. */
  static from(plain: Failure): TroupeError {
    const { code, message, retryable, detail } = plain;
    return new TroupeError(
      code,
      message,
      detail === undefined ? { retryable } : { retryable, detail },
    );
  }
}

function hasKnownCode(value: object): value is { code: FailureCode } {
  return 'code' in value && typeof value.code === 'string' && knownCodes.has(value.code);
}

/**
 * The plain twin of anything thrown; what carries none of our codes gets `fallback`. Never throws: what cannot be read, a
 * revoked proxy or a getter that throws, is said to be so. Its detail is copied as plain data; what has the shape of a key is
 * left out of both.
 */
export function toFailure(thrown: unknown, fallback: FailureCode = 'crashed'): Failure {
  try {
    return read(thrown, fallback);
  } catch {
    // The thrown value cannot be read at all.
    return { code: fallback, message: unreadable, retryable: false };
  }
}

/** Why something was thrown, in words: its message without keys, or what it is. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? maskShapes(String(thrown.message)) : describe(thrown);
  } catch {
    return unreadable;
  }
}

const unreadable = 'something was thrown that cannot be read';
const inWords = { withoutKeys, maskShapes, describe, reasonOf };

function read(thrown: unknown, fallback: FailureCode): Failure {
  if (typeof thrown !== 'object' || thrown === null) {
    return { code: fallback, message: describe(thrown), retryable: false };
  }
  const message = 'message' in thrown ? String(thrown.message) : describe(thrown);
  const retryable = 'retryable' in thrown && thrown.retryable === true;
  // Read once: a getter may answer differently the next time.
  const { code: given } = hasKnownCode(thrown) ? thrown : { code: null };
  const code = given ?? fallback;
  const named = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
  const text = maskShapes(given !== null || named === 'Error' ? message : `${named}: ${message}`);
  const detail = 'detail' in thrown ? thrown.detail : null;
  if (typeof detail !== 'object' || detail === null) return { code, message: text, retryable };
  return { code, message: text, retryable, detail: plainDetail(detail, inWords) };
}

const longestShown = 120;
const mostShown = 200;

/** A short text for a value in an error message: what the user passed, never a page of it, and no key. Never throws. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return clip(maskKeys(JSON.stringify(value.slice(0, mostShown))));
    if (typeof value === 'function')
      return value.name === '' ? 'a function' : `function ${value.name}`;
    if (typeof value !== 'object' || value === null) return String(value);
    if (ArrayBuffer.isView(value)) return Object.prototype.toString.call(value);
    const text = JSON.stringify(value, shortened()) ?? Object.prototype.toString.call(value);
    return clip(maskKeys(text));
  } catch {
    return kindOf(value);
  }
}

/** Circular or with a throwing getter: its kind is all that can be said of it. */
function kindOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    // A revoked proxy does not say even that.
    return 'a value that cannot be read';
  }
}

/** Names say what is secret, and so does the shape of a value. */
function withoutKeys(name: string, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isKeyName(name)) return '[key]';
  return holdsSecrets(name) ? hideValues(value) : value;
}

/** Leaves keys out, and of a large value all but what can be shown: a text of it costs as little as it is long. */
function shortened(): (name: string, value: unknown) => unknown {
  let left = mostShown;
  return (name, value) => {
    left -= 1;
    if (left < 0) return undefined;
    if (typeof value === 'string') return withoutKeys(name, value.slice(0, mostShown));
    if (ArrayBuffer.isView(value)) return Object.prototype.toString.call(value);
    if (Array.isArray(value)) return withoutKeys(name, value.slice(0, mostShown));
    return withoutKeys(name, value);
  };
}

function clip(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

/** Proves that a switch over a closed union is complete. */
export function unreachable(value: never): never {
  throw new TroupeError('internal', `a case was not handled: ${describe(value)}`);
}
