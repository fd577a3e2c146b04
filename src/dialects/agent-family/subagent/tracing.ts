// Owns the port to a tracer: spans with parents, begun and ended once. Leaves out any tracer of its own.

export type SpanEnd = {
  readonly status: 'ok' | 'failed';
  /** Why it failed, as a short code. */
  readonly error?: string;
};

/** One span of a trace. */
export interface Span {
  readonly id: string;
  end(end: SpanEnd): void;
}

export type SpanStart = {
  /** The span it is part of; undefined begins a trace. */
  readonly parent: Span | undefined;
  readonly attributes: Readonly<Record<string, string>>;
};

/** What a host brings to have its subagents traced; an OpenTelemetry tracer fits in a few lines. */
export interface TraceProvider {
  startSpan(name: string, start: SpanStart): Span;
}
