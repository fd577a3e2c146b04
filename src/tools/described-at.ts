// Owns tools whose description depends on where they are offered: whom there is to delegate to, and how far.
import type { AnyTool, DelegationReach } from './tool.ts';

/** The same tool, described anew wherever it is offered, with what was corrected in its options. */
export function describedAt<Any extends AnyTool>(
  tool: Any,
  describeAt: (reach: DelegationReach) => string,
  corrections: readonly string[] = [],
): Any {
  return Object.freeze({ ...tool, describeAt, corrections });
}

/** An agent in a list for a model. A purpose is one line: its own line breaks are spaces. */
export function lineOf(name: string, purpose: string | undefined): string {
  const shown = purpose?.trim().replace(/\s+/g, ' ') ?? '';
  return shown === '' ? `- ${name}` : `- ${name}: ${shown}`;
}
