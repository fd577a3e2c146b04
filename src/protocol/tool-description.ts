// Owns a tool without its code, as threads, models and the resolver of grants see it. Types only.

export type JsonSchema = { readonly [key: string]: unknown };

/** A tool without its code: what crosses threads, and what models and the resolver of grants need. */
export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly isIdempotent: boolean;
  readonly timeoutMs?: number;
  /** From its first call on its agent keeps its thread until its run ends. */
  readonly keepsThread?: true;
  readonly tags: readonly string[];
};
