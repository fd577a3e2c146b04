// The entry point `troupe/agent-family`: agents that are asked, observe each other in hubs, and delegate to subagents of classes.
export { AgentBase } from './base/agent-base.ts';
export type { AgentBaseOptions } from './base/agent-base-options.ts';
export type { HookOf } from './base/hook-of.ts';
export type {
  HookArgs,
  HookOutputs,
  HookPoint,
  ReplyOptions,
} from './base/hook-types.ts';
export { MsgHub, type MsgHubOptions } from './base/hub.ts';
export { JsonStateStore } from './base/json-state-store.ts';
export { Memory } from './base/memory.ts';
export { MessageQueue, type Printed } from './base/message-queue.ts';
export {
  type AgentModule,
  ModuleAgent,
  type ModuleAgentOptions,
} from './base/module-agent.ts';
export {
  type AudioBlock,
  type ContentBlock,
  createMsg,
  isMsg,
  type Msg,
  type MsgInput,
  type MsgOptions,
  msgText,
} from './base/msg.ts';
export { fanoutPipeline, sequentialPipeline } from './base/pipelines.ts';
export type { PrintedChunk, PrintOutput } from './base/printing.ts';
export { type StateDict, type Stateful, StateModule } from './base/state.ts';
export {
  loadState,
  MemoryStateStore,
  prefixedStore,
  type StateStore,
  saveState,
} from './base/state-store.ts';
export { streamPrinted } from './base/stream.ts';
export { reActAgentOptions, subAgentSpec } from './config.ts';
export { chatFormatter, type Formatter } from './react/formatter.ts';
export type {
  KnowledgeBase,
  LongTermMemory,
  LongTermMemoryMode,
} from './react/long-term-memory.ts';
export type { ReActAgentOptions } from './react/options.ts';
export { type PlanKeeper, PlanNotebook } from './react/plan-notebook.ts';
export { ReActAgent } from './react/react-agent.ts';
export { type ToolGroup, Toolkit } from './react/toolkit.ts';
export type { ContextBundle, DelegationContext } from './subagent/context.ts';
export {
  memoryHost,
  type SubagentHost,
  transcriptHost,
} from './subagent/context-source.ts';
export { type ExportOptions, exportAgent, type SubagentClass } from './subagent/export-agent.ts';
export {
  type PermissionBundle,
  type Permissions,
  permissionBundle,
  type SafetyLimits,
} from './subagent/permissions.ts';
export {
  type RegistryOptions,
  SubagentRegistry,
} from './subagent/registry.ts';
export type { SubagentResponse } from './subagent/response.ts';
export { type SubAgentSpec, SubAgentUnavailable } from './subagent/spec.ts';
export {
  SubAgentBase,
  type SubagentInit,
  type SubagentSettings,
} from './subagent/subagent-base.ts';
export {
  makeSubagentTool,
  type SubagentTool,
  type SubagentToolOptions,
} from './subagent/subagent-tool.ts';
export type { Span, TraceProvider } from './subagent/tracing.ts';
export {
  StudioUserInput,
  type StudioUserInputOptions,
} from './user/studio-user-input.ts';
export { UserAgent, type UserAgentOptions } from './user/user-agent.ts';
export {
  type InputRequest,
  TerminalInput,
  type UserInput,
  type UserResponse,
} from './user/user-input.ts';
