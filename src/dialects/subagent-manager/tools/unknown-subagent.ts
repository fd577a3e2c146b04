// Owns the answer to a call that names a subagent which the session does not have (A36).
import { describe } from '../../../base/failures.ts';
import { refusal, type ToolRefusal } from '../../../tools/refusal.ts';
import type { Subagents } from '../subagents.ts';

export function unknownSubagent(manager: Pick<Subagents, 'agents'>, name: string): ToolRefusal {
  const names = manager.agents().map((each) => each.name);
  const why = `error: there is no subagent ${describe(name)}; there is: ${names.join(', ') || 'none'}.`;
  return refusal('unknown_agent', why);
}
