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
  SingleModelRef,
  ToolReference,
} from './agent/definition.ts';
export type { HookContext, HookPayloads, HookReference, Hooks } from './agent/hooks.ts';
export type { StoredMessage } from './agent/prompt/preamble.ts';
export type { PromptSettings } from './agent/prompt/settings.ts';
export type { Skill } from './agent/prompt/skills.ts';
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
export type { EventFilter, EventPayloads, EventType, TroupeEvent } from './events/event-types.ts';
export {
  type JournalOptions,
  type JournalSettings,
  type RecoveryMoment,
  sqlite,
} from './journal/sqlite.ts';
export type { Durability } from './journal/store.ts';
export type { ModelEndpoint } from './models/endpoint.ts';
export type { CredentialPool } from './models/keys/credentials.ts';
export type { Model, ModelCall, ModelRequest } from './models/model.ts';
export type { ModelName } from './models/model-name.ts';
export type { AiSdkModel } from './models/providers/ai-sdk.ts';
export type { ProgressGroup, ProgressItem, ProgressOptions } from './observe/progress-groups.ts';
export { type RenderTreeOptions, renderTree } from './observe/render-tree.ts';
export type { TreeOptions, TreeSnapshot } from './observe/tree.ts';
export type { Budget } from './protocol/budget.ts';
export type {
  ImageBlock,
  Message,
  StopReason,
  TextBlock,
  TokenCounts,
  ToolResult,
} from './protocol/history.ts';
export type { ToolCallInfo } from './protocol/hooks.ts';
export type { BackgroundTask } from './protocol/host-services.ts';
export type { LoopSettings } from './protocol/loop-settings.ts';
export type { MemoryLimits } from './protocol/memory-limits.ts';
export type { ToolSchema } from './protocol/model-head.ts';
export type { ModelDelta, ModelReply, ModelResponse } from './protocol/model-messages.ts';
export type { Effort, ModelSettings } from './protocol/model-settings.ts';
export type { ApiMode } from './protocol/model-spec.ts';
export type { ModelPrice } from './protocol/price.ts';
export type { SteerReceipt, SteerStatus } from './protocol/steer-receipt.ts';
export type { ToolSettings } from './protocol/tool-settings.ts';
export type {
  AgentProfile,
  FileAccess,
  NetworkAccess,
  WorkerProfile,
} from './protocol/worker-profile.ts';
export type { Board, BoardSettings } from './sessions/board.ts';
export type { BoardEntry, BoardEntryType, BoardPost } from './sessions/board-entries.ts';
export type { Dialect, DialectState, Retention, SessionHost } from './sessions/dialect.ts';
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
export type { Session, SessionTools } from './sessions/session.ts';
export type { Toolbox, ToolCallOptions, ToolDefinitions, ToolSource } from './sessions/toolbox.ts';
export type { Limits } from './supervision/admission.ts';
export type {
  AgentAskOptions,
  AgentRef,
  AgentStatus,
  AgentTellOptions,
  SpawnAgentOptions,
} from './supervisor/agent-ref.ts';
export type { CloseOptions } from './supervisor/call-options.ts';
export type { DrainOptions } from './supervisor/drain.ts';
export type { MapRun } from './supervisor/map-run.ts';
export { createSupervisor, type Supervisor } from './supervisor/supervisor.ts';
export type { Logger, SupervisorOptions } from './supervisor/supervisor-options.ts';
export type { ToolsetOptions } from './supervisor/tool-options.ts';
export type { Totals } from './supervisor/totals.ts';
export type { MapOptions } from './tasks/fan-out.ts';
export type { RecoveredTask } from './tasks/journal/recovery.ts';
export type { TaskRetry } from './tasks/retry-task.ts';
export type { ApprovalAnswer } from './tasks/services/approval-answer.ts';
export type { ApprovalRequest, Approve } from './tasks/services/approvals.ts';
export { type AskParentOptions, askParentTool } from './tasks/services/ask-parent.ts';
export type { OnQuestion, Question } from './tasks/services/questions.ts';
export type {
  MapResponseOptions,
  MapStreamItem,
  NodeResponse,
  ResponseOptions,
  StreamedText,
  StreamItem,
  StreamOptions,
  StreamResponse,
  TextStreamOptions,
} from './tasks/stream-items.ts';
export type {
  DelegateOptions,
  StartOptions,
  Task,
  TaskHandle,
  TaskStatus,
} from './tasks/task.ts';
export type { ApprovalPolicy, ApprovalReason } from './tools/approval-policy.ts';
export type { SearchHit, SearchProvider } from './tools/builtin/web/search.ts';
export type { WebOptions } from './tools/builtin/web.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type { OpenToolset, ToolsetOwner } from './tools/host-toolset.ts';
export { connectMcp, type McpConnections, type McpDiagnostic } from './tools/mcp/connect.ts';
export type { McpAddress, McpCommand, McpConfig, McpOptions } from './tools/mcp/options.ts';
export { capabilityTags, subagentDenyList } from './tools/tags.ts';
export type {
  BackgroundTasks,
  DelegationReach,
  InlineAgent,
  Subtask,
  Tool,
  ToolContext,
} from './tools/tool.ts';
export { toolMatcher } from './tools/tool-patterns.ts';
export type { ToolsetName } from './tools/toolset-name.ts';
export { withPreset } from './tools/with-preset.ts';
