// Owns the port to a tracer: spans with parents, begun and ended once. Leaves out any tracer of its own.

export type SpanEnd = {
  readonly status: 'ok' | 'failed';
  /** Why it failed, as a short code. */
  readonly error?: string;
};

/** One span of a trace. */
export interface Span {
  /** The id of the span, as its tracer has it. */
  readonly id: string;
  /** Ends the span; called once. */
  end(end: SpanEnd): void;
}

export type SpanStart = {
  /** The span it is part of; undefined begins a trace. */
  readonly parent: Span | undefined;
  readonly attributes: Readonly<Record<string, string>>;
};

/** What a host brings to have its subagents traced; an OpenTelemetry tracer fits in a few lines. */
export interface TraceProvider {
  /** Begins a span of this name. */
  startSpan(name: string, start: SpanStart): Span;
}
