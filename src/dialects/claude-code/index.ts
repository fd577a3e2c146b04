// The entry point `troupe/claude-code`: the tools `Agent`, `TaskOutput` and `TaskStop`, and the minimal tool `task`.
export { type AgentToolOptions, agentTools } from './agent-tool.ts';
export { type TaskToolOptions, taskTool } from './task-tool.ts';
