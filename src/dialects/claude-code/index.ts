// The entry point `troupe/claude-code`: the tools `Agent`, `TaskOutput`, `SendMessage` and `TaskStop`, the minimal tool `task`, and agents as
// the Claude Agent SDK has them.
export { type AgentToolOptions, agentTools } from './agent-tool.ts';
export { type ClaudeAgents, claudeAgents } from './agents.ts';
export { type TaskToolOptions, taskTool } from './task-tool.ts';
