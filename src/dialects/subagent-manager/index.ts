// The entry point `troupe/subagent-manager`: named subagents of a session, which a main agent creates and hands work to.
export type {
  ManagerConfig,
  ManagerConfigInput,
  StaticAgentConfig,
} from './config.ts';
export {
  managerConfig,
  managerConfigSchema,
  sourceConfig,
} from './config.ts';
export { type SubagentToolsOptions, subagentManager, subagentTools } from './in-session.ts';
export type { SubagentManager } from './manager.ts';
export type { ManagerOptions, Persona } from './settings.ts';
export type { SubagentSnapshot } from './snapshot.ts';
export type {
  Subagent,
  SubagentConfig,
  SubagentInput,
  SubagentStatus,
} from './subagent.ts';
export type { SubagentResult } from './task-book.ts';
