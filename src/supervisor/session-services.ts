// Owns what the dialects of a session reach of the supervisor: each call goes to the scheduler or the registry. Decides nothing.

import { reasonOf, TroupeError } from '../base/failures.ts';
import type { Board } from '../sessions/board.ts';
import type { SessionHost } from '../sessions/dialect.ts';
import type { Place } from '../tasks/resolve/agent-spec.ts';
import type { Background } from '../tasks/services/background.ts';
import { letIn } from '../tasks/services/reply-width.ts';
import type { Run, TaskRecord } from '../tasks/state.ts';
import type { Task } from '../tasks/task.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { SupervisorParts } from './build-supervisor.ts';
import { needsConfirmation } from './confirmations.ts';
import { taskHandle } from './task-handle.ts';

/** What the registry of sessions knows of the session. */
type OwnServices = Pick<
  SessionHost,
  'use' | 'run' | 'nextNumber' | 'touch' | 'lastActivityAt' | 'endRun'
>;

export type SessionServicesOptions = OwnServices & {
  readonly system: SupervisorParts;
  readonly sessionId: string;
  readonly workspace: string;
  /** Those of the supervisor. */
  readonly tools: readonly (AnyTool | URL)[];
  readonly background: Background;
  readonly board: Board;
};

/** Depth of an agent that a tool of the program's loop starts. */
const depth = 1;

export function sessionServices(options: SessionServicesOptions): SessionHost {
  const { system, sessionId, workspace, tools, background, board, ...session } = options;
  const { scheduler, events, clock, resolver, approvals } = system;
  const submit = (task: Task, parent: Run | null, isBackground?: true): TaskRecord => {
    const scope = parent === null ? 'run' : 'session';
    const kind = isBackground === undefined ? {} : { isBackground };
    const origin = {
      parent,
      scope,
      index: 0,
      width: 1,
      isToolCall: true,
      sessionId,
      ...kind,
    } as const;
    if (parent === null) return scheduler.submissions.submit(task, origin);
    const { entries } = letIn(parent, 1, (ofReply) => {
      return [scheduler.submissions.submit(task, { ...origin, ofReply })] as const;
    });
    return entries[0];
  };
  return {
    sessionId,
    clock,
    workspace,
    board,
    warn: (message) => events.emit('log', { sessionId }, { level: 'warn', message }),
    needsConfirmation: (tool) => needsConfirmation(tool, tools, resolver.approvals.ofSupervisor),
    canAskPerson: approvals.canAsk,
    async toolNames() {
      await resolver.prepare({});
      // An agent whose definition does not mention tools has every one that is registered.
      return resolver.specOf({}).rights.names;
    },
    whyNot(settings) {
      try {
        resolver.specOf(settings);
        return [];
      } catch (thrown) {
        return [reasonOf(thrown)];
      }
    },
    async check(task, agentId = '') {
      await resolver.prepare(task);
      const caller = scheduler.registry.runOf(agentId);
      const place: Place =
        caller === null
          ? { parent: undefined, depth, isOfLoop: true }
          : { parent: caller.spec, depth: caller.depth + 1 };
      return resolver.specOf(task, place).rights.warnings;
    },
    start(task) {
      const fromSeq = events.lastSeq;
      return taskHandle(submit(task, null), system, fromSeq);
    },
    startBackground(task, callerId) {
      background.refuseWhenFull();
      const parent = scheduler.registry.runOf(callerId);
      if (parent === null && callerId !== '') {
        throw new TroupeError('activation_ended', `the run of agent ${callerId} has ended`);
      }
      const fromSeq = events.lastSeq;
      const entry = submit(task, parent, true);
      background.add(entry);
      return taskHandle(entry, system, fromSeq);
    },
    async interrupt(path, reason) {
      const found = scheduler.registry.find(path);
      return found?.type === 'task' ? scheduler.interrupts.interrupt(found.task, { reason }) : [];
    },
    messagesOf(taskId) {
      const ended = scheduler.registry.history.find(taskId);
      return ended === null ? [] : ended.messages.slice(ended.begins);
    },
    acknowledge(taskId) {
      background.acknowledgeTask(taskId);
    },
    ...session,
  };
}
