// Owns how thoughts that are not Anthropic's are kept in Anthropic's blocks: for the API they came from, and no other.
import type { ThinkingBlock } from '../../protocol/history.ts';

/** APIs whose thoughts are kept. */
export type ThinkingOrigin = 'chat_completions' | 'codex_responses' | 'ai_sdk';

const mark = 'troupe:';

/** A thinking block that carries verbatim what its API wants to have back. */
export function encodeReasoning(
  origin: ThinkingOrigin,
  thinking: string,
  returned: unknown,
): ThinkingBlock {
  return { type: 'thinking', thinking, signature: `${mark}${origin}:${JSON.stringify(returned)}` };
}

/** What was kept for this API; undefined for a thought of another one, which this API could not read. */
export function decodeReasoning(origin: ThinkingOrigin, { signature }: ThinkingBlock): unknown {
  const prefix = `${mark}${origin}:`;
  if (!signature.startsWith(prefix)) return undefined;
  // We wrote it ourselves.
  return JSON.parse(signature.slice(prefix.length));
}

/** True for a thought that some other API than Anthropic's had. */
export function isOpaque({ signature }: ThinkingBlock): boolean {
  return signature.startsWith(mark);
}
