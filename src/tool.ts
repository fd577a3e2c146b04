// Owns the public face of `troupe/tool`: what a tool module imports, and nothing that a thread would have to load for it.
export { defineTool, isTool, type ToolDefinition } from './tools/define-tool.ts';
export type {
  InputSchema,
  SchemaIssue,
  SchemaResult,
  Tool,
  ToolContext,
  ToolOutput,
} from './tools/tool.ts';
export { withPreset } from './tools/with-preset.ts';
