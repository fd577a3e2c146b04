// Owns the hooks of one run that are functions of the service: called for its thread, aborted with it, run at its end.
import type { Exit } from '../../actor/exit.ts';
import { callHook, type HookCall } from '../../agent/hook-call.ts';
import { type HookAnswer, hookFailure } from '../../agent/hooks.ts';
import type { RunRecord } from '../../agent/run/record.ts';
import { copyData } from '../../base/copy-data.ts';
import { type Failure, failure, TroupeError, toFailure } from '../../base/failures.ts';
import type { HookReport, HostHookCall } from '../../protocol/host-services.ts';
import { type RunResult, runResultOf } from '../completion/run-result.ts';
import type { EndCause } from '../end-cause.ts';
import type { OpenCalls } from '../open-calls.ts';
import type { AgentSpec } from '../resolve/agent-resolver.ts';

/** The run whose hooks they are. */
export type HookedRun = {
  readonly id: string;
  readonly path: string;
  readonly depth: number;
  readonly spec: AgentSpec;
  readonly task: { readonly id: string };
  readonly record: RunRecord;
  readonly calls: OpenCalls;
  /** Why the supervisor ends the run; null while it does not. */
  readonly cause: EndCause | null;
  /** Aborted when the agent is over. */
  readonly signal: AbortSignal;
};

const survives: Exit = { reason: 'normal' };

export class HostHooks {
  readonly #run: HookedRun;
  readonly #onFailed: (why: Failure) => void;
  /** Places of hooks that know of the end already. */
  readonly #called = new Set<number>();
  #hasBegun = false;

  /** `onFailed` receives the failures of hooks that are no longer awaited. */
  constructor(run: HookedRun, onFailed: (why: Failure) => void) {
    this.#run = run;
    this.#onFailed = onFailed;
  }

  /** Resolves with the hook's answer. Rejects `hook_failed`, or with the reason it was aborted. */
  async call({ id, at, ...call }: HostHookCall, activation: AbortSignal): Promise<HookAnswer> {
    this.#hasBegun = true;
    if (call.name === 'afterRun') this.#called.add(at);
    return this.#run.calls.during(
      { kind: 'hook', id: openIdOf(id), until: activation },
      ({ signal }) => this.#call(at, this.#informed(call), signal),
    );
  }

  /** The thread no longer waits for this hook. */
  abort(id: string): void {
    const why = new TroupeError('interrupted', 'the hook was given up');
    this.#run.calls.abort(openIdOf(id), why);
  }

  /**
   * The run is over. Calls the `afterRun` hooks that its thread did not call, because it was killed or lost: they are
   * not awaited, and their signal is aborted already (D23).
   */
  ended({ exitReason, text, error }: RunResult): void {
    const { spec, record, signal } = this.#run;
    if (!this.#hasBegun && record.turns === 0) return;
    const subject = { exitReason, text, ...(error === undefined ? {} : { error }) };
    for (const at of spec.hostHooks.keys()) {
      if (this.#called.has(at)) continue;
      this.#called.add(at);
      this.#call(at, { name: 'afterRun', subject }, signal).catch((thrown: unknown) => {
        this.#onFailed(toFailure(thrown, 'hook_failed'));
      });
    }
  }

  async #call(at: number, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { id, path, depth, spec, task } = this.#run;
    const hooks = spec.hostHooks.get(at);
    if (hooks === undefined) {
      throw TroupeError.from(hookFailure(call.name, failure('internal', `no hooks at ${at}`)));
    }
    const agent = { id, name: spec.name, path, depth };
    return callHook(hooks, call, { agent, runId: task.id, signal });
  }

  /** What the host knows better than the thread: the conversation on record, what its model took, and why the run was ended. */
  #informed(call: HookReport): HookCall {
    const { record, cause } = this.#run;
    switch (call.name) {
      case 'beforeRun':
      case 'beforeTurn': {
        // What a hook changes in them changes nothing.
        const subject = { ...call.subject, messages: copyData(record.messages) };
        // Either of the two: each takes messages.
        return { ...call, subject } as HookCall;
      }
      case 'afterTurn':
        return { ...call, subject: { ...call.subject, usage: record.lastTokens } };
      case 'afterRun': {
        const { text, error } = call.subject;
        const end = { ...call.subject, text, error };
        return { ...call, subject: runResultOf({ end, cause, exit: survives, text: record.text }) };
      }
      default:
        return call;
    }
  }
}

/** Threads number their hooks; a model may give a call any id. */
function openIdOf(id: string): string {
  return `hook ${id}`;
}
