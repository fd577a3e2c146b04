// Owns dialect B: a single-use scope that runs without a user and hands over named values.
import { copySettings } from '../../agent/copy-settings.ts';
import { plainCopy } from '../../agent/plain-copy.ts';
import { TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Task } from '../../tasks/task.ts';
import { describeOutcome } from '../../tools/describe-outcome.ts';
import {
  checkScope,
  type ModelConfig,
  type OutputConfig,
  type PromptConfig,
  type RunConfig,
  type ScopeConfig,
  type ToolConfig,
} from './config.ts';
import { checkConfirmation } from './confirmation.ts';
import type { ContextState } from './context-state.ts';
import { noOutput, type OutputObject, outputOf } from './outcome.ts';
import type { ScopeRuntime } from './runtime.ts';
import { taskOf } from './task.ts';

class Scope {
  readonly #id: string;
  readonly #name: string;
  readonly #runtime: ScopeRuntime;
  readonly #config: ScopeConfig;
  #output: OutputObject = noOutput;
  #outcome: Outcome | null = null;
  #taskId: string | null = null;
  #hasRun = false;

  constructor(name: string, runtime: ScopeRuntime, config: ScopeConfig) {
    this.#id = `${name}-${runtime.nextScopeNumber()}`;
    this.#name = name;
    this.#runtime = runtime;
    this.#config = config;
  }

  /** What was emitted, and why the run ended; `ERROR` with nothing until it has run. */
  get output(): OutputObject {
    return this.#output;
  }

  /** What its run came to as any other task: ids, tokens and cost, turns, files, the error. Null until it has run. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /**
   * The id of its task, which `supervisor.interrupt`, `steer` and `transcript` take and its events have. Null until it is
   * accepted, and in a runtime that does not tell.
   */
  get taskId(): string | null {
    return this.#taskId ?? this.#outcome?.taskId ?? null;
  }

  /**
   * Runs to its end and resolves; what it came to is `output`. Rejects, with the reason `ERROR`, when the prompt cannot be
   * made, the model fails, or the run is ended from outside; what was emitted until then is kept.
   */
  async runNonInteractive(
    context: ContextState,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    if (this.#hasRun) {
      throw new TroupeError('invalid_options', `scope ${this.#name} has run; create another`);
    }
    this.#hasRun = true;
    const { runtime, task } = this.#prepare(context);
    const outcome = await runtime.run(task, {
      ...options,
      onAccepted: (taskId) => {
        this.#taskId = taskId;
      },
    });
    this.#outcome = outcome;
    this.#output = outputOf(outcome);
    if (this.#output.terminate_reason !== 'ERROR') return;
    throw TroupeError.from(describeOutcome(outcome).reason);
  }

  #prepare(context: ContextState): { runtime: ScopeRuntime; task: Task } {
    const runtime = this.#runtime;
    const promptIdPrefix = `${runtime.id}#${this.#id}`;
    const { environment } = runtime;
    const around = { name: this.#name, promptIdPrefix, environment };
    return { runtime, task: taskOf(this.#config, context, around) };
  }
}

export type SubAgentScope = Scope;

/** Scopes are made by `create` alone. */
export const SubAgentScope = {
  /**
   * Rejects `invalid_options` naming what is wrong, `unknown_tool`, and `tool_denied` for a tool that would ask a human
   * for permission, since the run is unattended. Calls no model.
   */
  async create(
    name: string,
    runtime: ScopeRuntime,
    prompt: PromptConfig,
    model: ModelConfig,
    run: RunConfig,
    tools?: ToolConfig,
    outputs?: OutputConfig,
  ): Promise<SubAgentScope> {
    const given: ScopeConfig = { prompt, model, run, tools, outputs };
    checkScope(name, given);
    // As it is now: a scope runs later, and what its program changes meanwhile does not count.
    const about = { what: `scope ${name}`, code: 'invalid_options' } as const;
    const config: ScopeConfig = {
      prompt: plainCopy(prompt, { ...about, field: 'prompt' }),
      model: copySettings(model, about),
      run: { ...run },
      ...(tools === undefined ? {} : { tools: { tools: [...tools.tools] } }),
      ...(outputs === undefined
        ? {}
        : { outputs: plainCopy(outputs, { ...about, field: 'outputs' }) }),
    };
    await checkConfirmation(tools?.tools ?? [], runtime);
    return new Scope(name, runtime, config);
  },
};
