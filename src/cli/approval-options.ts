// Owns how approvals are given on the command line: `--approve` and `--require-approval`, and the errors for wrong ones.
import { InvalidArgumentError } from 'commander';
import { toolMatcher } from '../index.ts';

/** Which tools that need approval run without a question; others are asked for on a terminal, and denied elsewhere. */
export type ApproveOption =
  | { readonly type: 'all' }
  /** No question either. */
  | { readonly type: 'none' }
  | { readonly type: 'patterns'; readonly patterns: readonly string[] };

/** Nothing was said: every tool that needs approval is asked for. */
export const approveByQuestion: ApproveOption = { type: 'patterns', patterns: [] };

export function readApprove(text: string): ApproveOption {
  if (text === 'all') return { type: 'all' };
  if (text === 'none') return { type: 'none' };
  return { type: 'patterns', patterns: readPatterns(text) };
}

export function readPatterns(text: string): readonly string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  try {
    toolMatcher(patterns);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  return patterns;
}
