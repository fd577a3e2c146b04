// Owns the approval of what the model of a session's own loop calls: the supervisor's patterns, and its one way to ask.
import type { ToolCaller } from '../sessions/toolbox.ts';
import { requirementsNaming } from '../tools/approval-policy.ts';
import type { SupervisorParts } from './build-supervisor.ts';

export function sessionApprovals(
  { resolver, approvals }: Pick<SupervisorParts, 'resolver' | 'approvals'>,
  sessionId: string,
): ToolCaller['approvals'] {
  const { ofSupervisor } = resolver.approvals;
  const asker = {
    agent: { id: '', name: sessionId, path: '/' },
    taskId: '',
    subject: { sessionId },
    // Its own, and gone with the session.
    of: {},
  };
  return {
    isRequired: (tool) => requirementsNaming(tool, ofSupervisor).length > 0,
    ask: (tool, { callId, input }, signal) => {
      const patterns = requirementsNaming(tool, ofSupervisor);
      const requiredBy = patterns.length > 0 ? patterns : ([{ by: 'tool' }] as const);
      const { name, tags } = tool;
      return approvals.askOfLoop(asker, { callId, name, tags, input, requiredBy }, signal);
    },
  };
}
