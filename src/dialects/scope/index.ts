// The entry point `troupe/scope`: single-use scopes that run unattended and emit named values.
export type {
  ModelConfig,
  OutputConfig,
  PromptConfig,
  RunConfig,
  ToolConfig,
} from './config.ts';
export { ContextState } from './context-state.ts';
export { type OutputObject, SubagentTerminateMode } from './outcome.ts';
export {
  type ScopeRunOptions,
  type ScopeRuntime,
  type SessionScopeRuntime,
  scopeRuntime,
} from './runtime.ts';
export { SubAgentScope } from './scope.ts';
