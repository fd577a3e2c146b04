// Owns the plain form and the thrown form of failures. Knows no actor, model or tool.
import { type FailureCode, failureCodes } from './failure-codes.ts';
import { plainDetail } from './plain-detail.ts';
import { hideValues, isKeyName, maskKeys, maskShapes, namesSecret } from './secret-text.ts';

export { type FailureCode, failureCodes } from './failure-codes.ts';

const knownCodes: ReadonlySet<string> = new Set(failureCodes);

/** A failure as plain data: what crosses threads, events and outcomes. */
export type Failure = {
  /** What to compare; `docs/errors.md` lists all codes with what to do. */
  readonly code: FailureCode;
  /** What happened, for people: what was given, what was expected. */
  readonly message: string;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
  /** Plain facts about it, by code, such as the field of an invalid option. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

type FailureOptions = {
  readonly retryable?: boolean;
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** Makes a plain failure; `retryable` is false by default. */
export function failure(code: FailureCode, message: string, options: FailureOptions = {}): Failure {
  const { retryable = false, detail } = options;
  return detail === undefined ? { code, message, retryable } : { code, message, retryable, detail };
}

/** The one error class of Troupe. Compare `code`, never the message or the class. */
export class TroupeError extends Error {
  override readonly name = 'TroupeError';
  /** What to compare; `docs/errors.md` lists all codes with what to do. */
  readonly code: FailureCode;
  /** True when the same call may succeed later. */
  readonly retryable: boolean;
  /** Plain facts about it, by code, such as the field of an invalid option. */
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
 * revoked proxy or a getter that throws, is reported as unreadable. Its detail is copied as plain data; what has the
 * shape of a key is left out of both.
 */
export function toFailure(thrown: unknown, fallback: FailureCode = 'crashed'): Failure {
  try {
    return read(thrown, fallback);
  } catch {
    // The thrown value cannot be read at all.
    return { code: fallback, message: unreadable, retryable: false };
  }
}

/** Why something was thrown, as a text: its message without keys, or a description of the value. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? maskShapes(String(thrown.message)) : describe(thrown);
  } catch {
    return unreadable;
  }
}

const unreadable = 'something was thrown that cannot be read';
const textRules = { withoutKeys, maskShapes, describe, reasonOf };

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
  return { code, message: text, retryable, detail: plainDetail(detail, textRules) };
}

const maxShownChars = 120;
const maxShown = 200;

/** A short text for a value in an error message: what the user passed, never a page of it, and no key. Never throws. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return clip(maskKeys(JSON.stringify(value.slice(0, maxShown))));
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

/** Circular or with a throwing getter: only its kind can be reported. */
function kindOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    // A revoked proxy does not reveal even that.
    return 'a value that cannot be read';
  }
}

/** A name can mark a value as secret, and so can the shape of the value. */
function withoutKeys(name: string, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isKeyName(name)) return '[key]';
  return namesSecret(name) ? hideValues(value) : value;
}

/** Leaves keys out, and of a large value all but what can be shown: a text of it costs as little as it is long. */
function shortened(): (name: string, value: unknown) => unknown {
  let left = maxShown;
  return (name, value) => {
    left -= 1;
    if (left < 0) return undefined;
    if (typeof value === 'string') return withoutKeys(name, value.slice(0, maxShown));
    if (ArrayBuffer.isView(value)) return Object.prototype.toString.call(value);
    if (Array.isArray(value)) return withoutKeys(name, value.slice(0, maxShown));
    return withoutKeys(name, value);
  };
}

function clip(text: string): string {
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars)}…`;
}

/** Proves that a switch over a closed union is complete. */
export function unreachable(value: never): never {
  throw new TroupeError('internal', `a case was not handled: ${describe(value)}`);
}
