// Owns the runs of subagents: begun in the foreground or the background, ended once, remembered (A34, A42 to A47).
import type { AgentDefinition } from '../../agent/definition.ts';
import type { Outcome } from '../../base/outcome.ts';
import { withAbort } from '../../base/with-abort.ts';
import type { ImageBlock } from '../../protocol/history.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import type { Task } from '../../tasks/task.ts';
import { delegateOne } from '../../tools/delegate-one.ts';
import { describeOutcome, withImages } from '../../tools/describe-outcome.ts';
import { refusal, type ToolRefusal } from '../../tools/refusal.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { askedAs } from './child-definition.ts';
import { withRun } from './history.ts';
import type { Subagent, SubagentRun } from './subagent.ts';
import type { SubagentResultInput, TaskBook } from './task-book.ts';

export type HandoffOptions = {
  readonly host: SessionHost;
  readonly book: TaskBook;
  /** Messages of history that are kept; null while there is none (A12). */
  readonly historyLimit: () => number | null;
};

/** Where a run was asked for: a loop of the program, or an agent of the tree. */
type Caller = Pick<ToolContext, 'agent' | 'signal' | 'delegate' | 'suspendWhile'>;

/** What is handed over, and by whom. */
type Asked = {
  readonly input: string;
  readonly images: readonly ImageBlock[];
  readonly caller: Caller;
};

type Begun = { readonly generation: number; readonly definition: AgentDefinition };
type HandoffTask = Task & { readonly agent: AgentDefinition };

export class HandoffRuns {
  readonly #options: HandoffOptions;
  /** Runs of agents that are gone: they go on, and the end of the session ends them. */
  readonly #all = new Set<SubagentRun>();
  #lastRun = 0;

  constructor(options: HandoffOptions) {
    this.#options = options;
  }

  /** Active runs, those of removed agents included. */
  get running(): ReadonlySet<SubagentRun> {
    return this.#all;
  }

  /** Why an agent takes no task now; null when it does (A45). */
  refuseBusy(agent: Subagent): ToolRefusal | null {
    if (agent.status !== 'RUNNING') return null;
    const taskId = agent.run?.taskId ?? null;
    const advice = taskId === null ? '' : ` Wait for its task ${taskId} with wait_for_subagent.`;
    const why = `error: subagent "${agent.name}" is still running; nothing was started.${advice}`;
    return refusal('refused', why);
  }

  /** Resolves with the child's answer; the run ends with the call (X4). */
  async foreground(
    agent: Subagent,
    definition: AgentDefinition,
    { caller, ...asked }: Asked,
  ): Promise<ReturnType<typeof withImages> | ToolRefusal> {
    const begun = { generation: agent.generation, definition };
    const run = this.#performed(this.#taskOf(agent, definition, asked), caller);
    this.#begin(agent, run);
    try {
      const outcome = await run.outcome;
      this.#end(agent, run, begun, outcome);
      const { answer, reason } = describeOutcome(outcome);
      return answer === null
        ? refusal(reason.code, failedText(definition, outcome))
        : withImages(answer, outcome);
    } catch (thrown) {
      this.#finish(agent, run, 'FAILED');
      throw thrown;
    }
  }

  /** Starts a task that outlives the call and the run it is made in; resolves with its id at once (A43). */
  async background(
    agent: Subagent,
    definition: AgentDefinition,
    { caller, ...asked }: Asked,
  ): Promise<{ readonly taskId: string } | ToolRefusal> {
    const { host, book } = this.#options;
    // Its id would reach no caller.
    caller.signal.throwIfAborted();
    const begun = { generation: agent.generation, definition };
    const task = this.#taskOf(agent, definition, asked);
    const handle = host.startBackground(this.#taskFor(caller, task), caller.agent.id);
    if (handle.status() === 'failed') {
      // It met a limit: nothing has begun.
      const outcome = await handle.result();
      host.acknowledge(handle.id);
      return refusal(describeOutcome(outcome).reason.code, failedText(definition, outcome));
    }
    const taskId = book.create(agent.name, handle.id);
    const run = {
      taskId,
      interrupt: async (reason: string) => {
        await handle.interrupt({ reason });
        await stored;
      },
    };
    this.#begin(agent, run);
    const stored = handle.result().then((outcome) => {
      this.#end(agent, run, begun, outcome);
      book.store(agent.name, resultOf(outcome, definition), taskId);
    });
    return { taskId };
  }

  #performed(
    task: HandoffTask,
    caller: Caller,
  ): SubagentRun & { readonly outcome: Promise<Outcome> } {
    const { host } = this.#options;
    const { agent, signal, suspendWhile } = caller;
    if (agent.id === '') {
      const handle = host.start(task);
      const interrupt = (reason: string) => handle.interrupt({ reason });
      return { taskId: null, interrupt, outcome: suspendWhile(endedWith(handle, signal)) };
    }
    // Below an agent of the tree it is the agent's child: the agent may give its thread up meanwhile (V7).
    const child = this.#taskFor(caller, task);
    return {
      taskId: null,
      interrupt: (reason) => host.interrupt(`${agent.path}/${child.name}`, reason),
      outcome: delegateOne(caller, child),
    };
  }

  /** The task as its caller can hand it over: an agent of the tree has a child, with a name of its own. */
  #taskFor({ agent: { id } }: Caller, task: HandoffTask): HandoffTask {
    if (id === '') return task;
    this.#lastRun += 1;
    return { ...task, name: `${task.agent.name}.${this.#lastRun}` };
  }

  #taskOf(
    { history, name, made }: Subagent,
    definition: AgentDefinition,
    { input: goal, images }: Omit<Asked, 'caller'>,
  ): HandoffTask {
    const isRemembered = this.#options.historyLimit() !== null && history.length > 0;
    return {
      goal,
      ...(images.length === 0 ? {} : { content: images }),
      ...askedAs(made, definition),
      ...(isRemembered ? { history } : {}),
      metadata: { subagent: name },
    };
  }

  #begin(agent: Subagent, run: SubagentRun): void {
    this.#options.host.touch();
    agent.status = 'RUNNING';
    agent.run = run;
    this.#all.add(run);
  }

  #end(agent: Subagent, run: SubagentRun, begun: Begun, outcome: Outcome): void {
    const { host, historyLimit } = this.#options;
    const { answer } = describeOutcome(outcome);
    this.#finish(agent, run, answer === null ? 'FAILED' : 'COMPLETED');
    if (outcome.status === 'timeout') {
      host.warn(`${failedText(begun.definition, outcome)} (session ${host.sessionId})`);
    }
    const limit = historyLimit();
    // What was reset, removed or made anew meanwhile does not remember what came before.
    if (limit === null || agent.generation !== begun.generation) return;
    agent.history = withRun(agent.history, host.messagesOf(outcome.taskId), limit);
  }

  #finish(agent: Subagent, run: SubagentRun, status: 'COMPLETED' | 'FAILED'): void {
    this.#options.host.touch();
    this.#all.delete(run);
    if (agent.run !== run) return;
    agent.run = null;
    agent.status = status;
  }
}

/** Begins with `error:` and names the agent; of a timeout also its limit, with one decimal (A34). */
function failedText({ name, totalTimeoutMs = 0 }: AgentDefinition, outcome: Outcome): string {
  const { reason, soFar } = describeOutcome(outcome);
  const why =
    outcome.status === 'timeout'
      ? `did not finish within ${(totalTimeoutMs / 1_000).toFixed(1)} s and was stopped`
      : `failed: ${reason.message}`;
  return `error: subagent "${name}" ${why}${soFar}`;
}

function resultOf(outcome: Outcome, definition: AgentDefinition): SubagentResultInput {
  const { answer } = describeOutcome(outcome);
  return {
    success: answer !== null,
    result: answer,
    error: answer === null ? failedText(definition, outcome) : null,
    executionTimeMs: outcome.durationMs,
    metadata: { taskId: outcome.taskId, exitReason: outcome.exitReason },
  };
}

function endedWith(
  handle: ReturnType<SessionHost['start']>,
  signal: AbortSignal,
): Promise<Outcome> {
  const reason = 'the call that delegated it was ended';
  const interrupt = (): void => void handle.interrupt({ reason });
  return withAbort(signal, interrupt, () => handle.result());
}
