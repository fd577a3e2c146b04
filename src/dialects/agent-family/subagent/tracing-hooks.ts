// Owns how a host is notified of its subagents: warnings and spans. A logger or tracer that throws fails no call (D54).
import { toFailure } from '../../../base/failures.ts';
import type { Permissions } from './permissions.ts';
import type { Span, SpanEnd, SpanStart } from './tracing.ts';

/** Warns the host. Never throws. */
export function warn(
  { logger }: Pick<Permissions, 'logger'>,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  try {
    logger.warn(fields, message);
  } catch {
    // The logger is the last resort; a failed call would be worse than a lost warning.
  }
}

/** A span where there is a tracer; undefined where there is none, or it throws, which is warned of. */
export function openSpan(
  permissions: Pick<Permissions, 'logger' | 'traceProvider'>,
  name: string,
  start: SpanStart,
): Span | undefined {
  return traced(permissions, start.attributes, () =>
    permissions.traceProvider?.startSpan(name, start),
  );
}

/** Ends a span, where there is one. A span that throws is warned of. */
export function endSpan(
  permissions: Pick<Permissions, 'logger'>,
  span: Span | undefined,
  end: SpanEnd,
): void {
  traced(permissions, {}, () => span?.end(end));
}

function traced<Result>(
  permissions: Pick<Permissions, 'logger'>,
  fields: SpanStart['attributes'],
  act: () => Result,
): Result | undefined {
  try {
    return act();
  } catch (thrown) {
    warn(permissions, fields, `the tracer failed: ${toFailure(thrown).message}`);
    return undefined;
  }
}
