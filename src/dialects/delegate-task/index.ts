// The entry point `troupe/delegate-task`: one tool that hands over one goal or a batch, and takes back summaries.
export { type DelegationConfig, delegationConfig } from './config.ts';
export { delegateTaskTool } from './delegate-task.ts';
export type { DelegateTaskOptions } from './options.ts';
