// Owns what the parts of a manager reach of it: its tools, its main agent, the end of a run.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Deliveries } from './deliveries.ts';
import type { HandoffRuns } from './handoff-run.ts';
import type { MainRuns } from './main-runs.ts';
import type { ManagerSettings } from './settings.ts';
import type { CreatedSubagent, Creator, Removal, Subagent, SubagentInput } from './subagent.ts';
import type { TaskBook } from './task-book.ts';

export interface Subagents {
  readonly host: SessionHost;
  readonly settings: ManagerSettings;
  readonly tasks: TaskBook;
  readonly deliveries: Deliveries;
  readonly runs: HandoffRuns;
  readonly mainRuns: MainRuns;
  /** The tools of its main agent in the tree. */
  readonly offered: { forAgent(): readonly AnyTool[] };
  agents(): readonly Subagent[];
  find(name: string): Subagent | null;
  create(input: SubagentInput, isProtected?: boolean, by?: Creator): Promise<CreatedSubagent>;
  remove(name: string): Removal | null;
  reset(name: string): boolean;
  setProtected(name: string, isProtected: boolean): boolean;
  forget(name: string): void;
  /** The result of a task was received. */
  markRead(agent: string, taskId: string): void;
  registerConfigured(): void;
  definitionOf(agent: Subagent): Promise<AgentDefinition>;
}
