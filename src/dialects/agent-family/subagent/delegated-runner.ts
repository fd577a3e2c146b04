// Owns where the replies of a delegated subagent run: below the run that called it, as children of the call.
import type { AgentDefinition } from '../../../agent/definition.ts';
import { asTrustedTask } from '../../../agent/trusted-task.ts';
import { TroupeError } from '../../../base/failures.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { Message } from '../../../protocol/history.ts';
import { isTool } from '../../../tools/define-tool.ts';
import { delegateOne } from '../../../tools/delegate-one.ts';
import type { AnyTool, ToolContext } from '../../../tools/tool.ts';
import type { ReplyTask, RunningTask, TaskRunner } from '../react/runner.ts';

/** What the host's side knows of ended runs, by their task ids. */
export type Transcripts = { transcript(taskId: string): readonly Message[] };

/**
 * Runs in the name of one tool call, by the one primitive of delegation: its agent is the parent, and no run outlives it.
 * Its events are emitted under other ids, so that nothing of a run is printed while it lasts (D52).
 */
export function delegatedRunner(
  call: Pick<ToolContext, 'delegate' | 'callId'>,
  transcripts: Transcripts | undefined,
): TaskRunner {
  let last = 0;
  return {
    start({ goal, agent, metadata }): RunningTask {
      last += 1;
      const id = `${call.callId}/${last}`;
      const result = delegateOne(call, { goal, agent: withOwnTools(agent), metadata });
      return { id, result: () => result, interrupt: () => null };
    },
    on: () => () => {},
    transcript: (taskId) => transcripts?.transcript(taskId) ?? [],
  };
}

/** A place for agents that are made to be looked at: it runs nothing. */
export const noRunner: TaskRunner = {
  start: () => {
    throw new TroupeError('invalid_options', 'this subagent is not in a call: nothing runs it');
  },
  on: () => () => {},
  transcript: () => [],
};

/**
 * The same agent, with tool objects as its own tools and tool names trusted as the program's: a subagent may have tools
 * that its host lacks (D58), while a child that a tool puts together otherwise has at most its parent's (X7).
 */
function withOwnTools(agent: AgentDefinition): AgentDefinition {
  const { tools = [], ownTools = [] } = agent;
  const objects = tools.filter((each): each is AnyTool => isTool(each));
  return asTrustedTask({
    ...agent,
    tools: tools.filter((each) => !isTool(each)),
    ownTools: [...new Set([...ownTools, ...objects])],
  });
}

/** A runner that keeps the last outcome: what a reply came to is more than its text. */
export class DelegatedRunner implements TaskRunner {
  readonly on: TaskRunner['on'];
  readonly transcript: TaskRunner['transcript'];
  readonly #inner: TaskRunner;
  readonly #change: (agent: AgentDefinition) => AgentDefinition;
  #outcome: Outcome | null = null;

  /** `change` sees each agent ahead of its run. */
  constructor(inner: TaskRunner, change: (agent: AgentDefinition) => AgentDefinition) {
    this.#inner = inner;
    this.#change = change;
    this.on = (type, listener) => inner.on(type, listener);
    this.transcript = (taskId) => inner.transcript(taskId);
  }

  /** Of the last run; null while it is active, or when there was none. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /** What is asked for next has nothing to do with the runs before. */
  forget(): void {
    this.#outcome = null;
  }

  start(task: ReplyTask): RunningTask {
    this.forget();
    const running = this.#inner.start({ ...task, agent: this.#change(task.agent) });
    const result = async (): Promise<Outcome> => {
      const outcome = await running.result();
      this.#outcome = outcome;
      return outcome;
    };
    return { id: running.id, result, interrupt: (options) => running.interrupt(options) };
  }
}
