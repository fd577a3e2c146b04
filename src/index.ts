// The public face of the package: named exports only.
export type {
  InterruptOptions,
  InterruptReceipt,
  InterruptScope,
  ReceiptStage,
} from './actor/ref.ts';
export { defineAgent } from './agent/define-agent.ts';
export type {
  AgentDefinition,
  AgentOptions,
  Equipment,
  ModelRef,
  RequiredOutputs,
  RunOptions,
  ToolReference,
} from './agent/definition.ts';
export type {
  HookContext,
  HookPayloads,
  HookReference,
  Hooks,
  ToolCallInfo,
} from './agent/hooks.ts';
export type { LoopSettings } from './agent/loop-settings.ts';
export type { MemoryLimits } from './agent/memory-window.ts';
export type { StoredMessage } from './agent/prompt/preamble.ts';
export type { PromptSettings } from './agent/prompt/settings.ts';
export type { Skill } from './agent/prompt/skills.ts';
export type { ToolSettings } from './agent/tool-settings.ts';
export type { Clock } from './base/clock.ts';
export { type Failure, type FailureCode, failureCodes, TroupeError } from './base/failures.ts';
export type {
  Outcome,
  OutcomeExitReason,
  OutcomeStatus,
  PartialResult,
  ToolTrace,
  Usage,
} from './base/outcome.ts';
export { AgentBase, type AgentBaseOptions } from './dialects/agent-family/base/agent-base.ts';
export type {
  HookArgs,
  HookOf,
  HookOutputs,
  HookPoint,
  ReplyOptions,
} from './dialects/agent-family/base/hook-types.ts';
export { MsgHub, type MsgHubOptions } from './dialects/agent-family/base/hub.ts';
export { JsonStateStore } from './dialects/agent-family/base/json-state-store.ts';
export { Memory } from './dialects/agent-family/base/memory.ts';
export { MessageQueue, type Printed } from './dialects/agent-family/base/message-queue.ts';
export {
  type AgentModule,
  ModuleAgent,
  type ModuleAgentOptions,
} from './dialects/agent-family/base/module-agent.ts';
export {
  type AudioBlock,
  type ContentBlock,
  createMsg,
  isMsg,
  type Msg,
  type MsgInput,
  type MsgOptions,
  msgText,
} from './dialects/agent-family/base/msg.ts';
export type { PrintedChunk, PrintOutput } from './dialects/agent-family/base/printing.ts';
export { type StateDict, type Stateful, StateModule } from './dialects/agent-family/base/state.ts';
export {
  loadState,
  MemoryStateStore,
  prefixedStore,
  type StateStore,
  saveState,
} from './dialects/agent-family/base/state-store.ts';
export { streamPrinted } from './dialects/agent-family/base/stream.ts';
export { chatFormatter, type Formatter } from './dialects/agent-family/react/formatter.ts';
export type {
  KnowledgeBase,
  LongTermMemory,
  LongTermMemoryMode,
} from './dialects/agent-family/react/long-term-memory.ts';
export type { ReActAgentOptions } from './dialects/agent-family/react/options.ts';
export { type PlanKeeper, PlanNotebook } from './dialects/agent-family/react/plan-notebook.ts';
export { ReActAgent } from './dialects/agent-family/react/react-agent.ts';
export { type ToolGroup, Toolkit } from './dialects/agent-family/react/toolkit.ts';
export type { ContextBundle, DelegationContext } from './dialects/agent-family/subagent/context.ts';
export {
  memoryHost,
  type SubagentHost,
  transcriptHost,
} from './dialects/agent-family/subagent/context-source.ts';
export { exportAgent, type SubagentClass } from './dialects/agent-family/subagent/export-agent.ts';
export {
  type PermissionBundle,
  type Permissions,
  permissionBundle,
  type SafetyLimits,
} from './dialects/agent-family/subagent/permissions.ts';
export {
  type RegistryOptions,
  SubagentRegistry,
} from './dialects/agent-family/subagent/registry.ts';
export type { SubagentResponse } from './dialects/agent-family/subagent/response.ts';
export { type SubAgentSpec, SubAgentUnavailable } from './dialects/agent-family/subagent/spec.ts';
export {
  SubAgentBase,
  type SubagentInit,
  type SubagentSettings,
} from './dialects/agent-family/subagent/subagent-base.ts';
export {
  makeSubagentTool,
  type SubagentTool,
  type SubagentToolOptions,
} from './dialects/agent-family/subagent/subagent-tool.ts';
export type { Span, TraceProvider } from './dialects/agent-family/subagent/tracing.ts';
export {
  StudioUserInput,
  type StudioUserInputOptions,
} from './dialects/agent-family/user/studio-user-input.ts';
export { UserAgent, type UserAgentOptions } from './dialects/agent-family/user/user-agent.ts';
export {
  type InputRequest,
  TerminalInput,
  type UserInput,
  type UserResponse,
} from './dialects/agent-family/user/user-input.ts';
export { type AgentToolOptions, agentTools } from './dialects/claude-code/agent-tool.ts';
export { delegateTaskTool } from './dialects/delegate-task/delegate-task.ts';
export type { DelegateTaskOptions } from './dialects/delegate-task/options.ts';
export type {
  ModelConfig,
  OutputConfig,
  PromptConfig,
  RunConfig,
  ToolConfig,
} from './dialects/scope/config.ts';
export { ContextState } from './dialects/scope/context-state.ts';
export { type OutputObject, SubagentTerminateMode } from './dialects/scope/outcome.ts';
export { SubAgentScope } from './dialects/scope/scope.ts';
export type { ScopeRuntime } from './dialects/scope/task.ts';
export type {
  ManagerConfig,
  ManagerConfigInput,
  StaticAgentConfig,
} from './dialects/subagent-manager/config.ts';
export {
  managerConfig,
  managerConfigSchema,
  sourceConfig,
} from './dialects/subagent-manager/config.ts';
export type { SubagentManager } from './dialects/subagent-manager/manager.ts';
export type { ManagerOptions, Persona } from './dialects/subagent-manager/settings.ts';
export type { SubagentSnapshot } from './dialects/subagent-manager/snapshot.ts';
export type {
  Subagent,
  SubagentConfig,
  SubagentInput,
  SubagentStatus,
} from './dialects/subagent-manager/subagent.ts';
export type { SubagentResult } from './dialects/subagent-manager/task-book.ts';
export { type TaskToolOptions, taskTool } from './dialects/task-tool/task-tool.ts';
export type { EventFilter, EventPayloads, EventType, TroupeEvent } from './events/events.ts';
export type { ModelPrice } from './models/budget/model-price.ts';
export type { ApiMode, ModelEndpoint } from './models/endpoint.ts';
export type { CredentialPool } from './models/keys/credentials.ts';
export type {
  Effort,
  Message,
  Model,
  ModelCall,
  ModelDelta,
  ModelRequest,
  ModelResponse,
  ModelSettings,
  StopReason,
  TokenCounts,
  ToolSchema,
} from './models/model.ts';
export type { AiSdkModel } from './models/providers/ai-sdk.ts';
export type { ProgressGroup, ProgressItem, ProgressOptions } from './observe/progress-groups.ts';
export { type RenderTreeOptions, renderTree } from './observe/render-tree.ts';
export type { TreeOptions, TreeSnapshot } from './observe/tree.ts';
export type { Board, BoardSettings } from './sessions/board.ts';
export type { BoardEntry, BoardEntryType, BoardPost } from './sessions/board-entries.ts';
export type { AgentFileOptions } from './sessions/files/agent-file-fields.ts';
export { type LoadedAgents, loadAgentFiles } from './sessions/files/agent-files.ts';
export {
  type AgentServerDiagnostic,
  type ConnectedAgents,
  connectAgentServers,
} from './sessions/files/agent-servers.ts';
export type { FileDiagnostic } from './sessions/files/definition-folder.ts';
export type { DefinitionSource, ProjectFolder } from './sessions/files/definition-sources.ts';
export { type LoadedSkills, loadSkills } from './sessions/files/skill-files.ts';
export type { ExpiredSession, RunEnd, SessionEnd } from './sessions/run-end.ts';
export type { Session } from './sessions/session.ts';
export type {
  Toolbox,
  ToolCallOptions,
  ToolDefinitions,
} from './sessions/toolbox.ts';
export type { Limits } from './supervision/admission.ts';
export type {
  AgentAskOptions,
  AgentRef,
  AgentStatus,
  AgentTellOptions,
  SpawnAgentOptions,
} from './supervisor/agent-ref.ts';
export type { CloseOptions } from './supervisor/call-options.ts';
export type { DialectOptions } from './supervisor/dialects.ts';
export type { DrainOptions } from './supervisor/drain.ts';
export { createSupervisor, type Supervisor } from './supervisor/supervisor.ts';
export type { Logger, SupervisorOptions } from './supervisor/supervisor-options.ts';
export type { ToolsetOptions } from './supervisor/tool-options.ts';
export type { Totals } from './supervisor/totals.ts';
export type { MapOptions } from './tasks/fan-out.ts';
export type { ApprovalAnswer, ApprovalRequest, Approve } from './tasks/services/approvals.ts';
export { type AskParentOptions, askParentTool } from './tasks/services/ask-parent.ts';
export type { OnQuestion, Question } from './tasks/services/questions.ts';
export type { SteerReceipt, SteerStatus } from './tasks/steering-queue.ts';
export type { DelegateOptions, Task, TaskHandle, TaskStatus } from './tasks/task.ts';
export type { WorkerProfile } from './threads/worker-profile.ts';
export type { SearchHit, SearchProvider } from './tools/builtin/web/search.ts';
export type { WebOptions } from './tools/builtin/web.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type { OpenToolset, ToolsetOwner } from './tools/host-toolset.ts';
export { connectMcp, type McpConnections, type McpDiagnostic } from './tools/mcp/connect.ts';
export type { McpAddress, McpCommand, McpConfig, McpOptions } from './tools/mcp/options.ts';
export { capabilityTags, subagentDenyList } from './tools/tags.ts';
export type {
  BackgroundTask,
  BackgroundTasks,
  DelegationReach,
  InlineAgent,
  Subtask,
  Tool,
  ToolContext,
  ToolResult,
} from './tools/tool.ts';
