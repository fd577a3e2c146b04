// Owns the check that what came back for a call is a result: one that was lost on its way is an error the model sees.
import { describe, failure } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import type { ToolResult } from '../protocol/history.ts';
import { errorResult } from './call.ts';

/** The value as a result, or an error result that names what came instead. */
export function asResult(name: string, value: unknown): ToolResult {
  if (isRecord(value) && typeof value['isError'] === 'boolean') {
    const { content } = value;
    // Made by `callTool` on the host; only its way here is not trusted.
    if (typeof content === 'string' || Array.isArray(content)) return value as ToolResult;
  }
  const text = `Tool "${name}" ended without a result (${describe(value)}); what it did is unknown.`;
  return errorResult(failure('tool_failed', text));
}
