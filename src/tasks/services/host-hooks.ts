// Owns the hooks of one run that are functions of the service: called for its thread, aborted with the run, called at its end.
import type { Exit } from '../../actor/exit.ts';
import { callHook, type HookCall } from '../../agent/hook-call.ts';
import { hookFailure } from '../../agent/hooks.ts';
import type { RunRecord } from '../../agent/run/record.ts';
import { copyData } from '../../base/copy-data.ts';
import { type Failure, failure, TroupeError, toFailure } from '../../base/failures.ts';
import type { HookAnswer } from '../../protocol/hooks.ts';
import type { HookKey, HookReport, HostHookCall } from '../../protocol/host-services.ts';
import { answersOf, type CallAnswers, type HookOutcome, idOfHook } from '../call-answers.ts';
import { type RunResult, runResultOf } from '../completion/run-result.ts';
import type { EndCause } from '../end-cause.ts';
import type { CallFacts, OpenCalls } from '../open-calls.ts';
import type { AgentSpec } from '../resolve/agent-spec.ts';

/** The run whose hooks they are. */
export type HookedRun = {
  readonly id: string;
  readonly path: string;
  readonly depth: number;
  readonly spec: AgentSpec;
  readonly task: { readonly id: string };
  readonly record: RunRecord;
  readonly calls: OpenCalls;
  answers: CallAnswers | null;
  /** Why the supervisor ends the run; null while it does not. */
  readonly cause: EndCause | null;
  /** Aborted when the agent is over. */
  readonly signal: AbortSignal;
};

/** Comes to what the answer comes to; rejects with the signal's reason when that aborts first. */
export type WaitForPerson = <Value>(
  answer: Promise<Value>,
  call: { readonly callId: string | null; readonly signal: AbortSignal },
) => Promise<Value>;

export type HostHooksOptions = {
  /** Receives the failures of hooks that are no longer awaited. */
  readonly onFailed: (why: Failure) => void;
  /** Waits for the answer of a person while the clocks of the run, and of the call, stand still. */
  readonly waitForPerson: WaitForPerson;
  /** A hook has begun, or is over: the run may leave its thread, or go on. */
  readonly onWaitChanged: () => void;
};

const survives: Exit = { reason: 'normal' };

export class HostHooks {
  readonly #run: HookedRun;
  readonly #options: HostHooksOptions;
  /** Places of hooks that know of the end already. */
  readonly #called = new Set<number>();
  #hasBegun = false;

  constructor(run: HookedRun, options: HostHooksOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Resolves with the hook's answer. Rejects `hook_failed`, or with the reason it was aborted. */
  async call(asked: HostHookCall, activation: AbortSignal): Promise<HookAnswer> {
    this.#hasBegun = true;
    // A run that was interrupted has its last hooks all the same.
    if (asked.name === 'afterRun') {
      this.#called.add(asked.at);
      return this.#run.calls.during(factsOf(asked), activation, ({ signal }) =>
        this.#ask(asked, signal),
      );
    }
    const outcome = await this.#kept(asked);
    if ('failed' in outcome) throw TroupeError.from(outcome.failed);
    return outcome.answer;
  }

  /** The thread no longer waits for this hook. */
  abort(key: HookKey): void {
    const why = new TroupeError('interrupted', 'the hook was given up');
    this.#run.calls.abortHook(idOfHook(key), why);
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
        this.#options.onFailed(toFailure(thrown, 'hook_failed'));
      });
    }
  }

  /** What it comes to is kept for a run that leaves its thread meanwhile. */
  async #kept(asked: HostHookCall): Promise<HookOutcome> {
    const { calls, signal: until } = this.#run;
    const { hooks } = answersOf(this.#run);
    const facts = factsOf(asked);
    // It may be called again in its turn, when the model is asked once more.
    hooks.delete(facts.id);
    const outcome = calls.during(facts, until, async ({ signal }) => {
      const came = await outcomeOf(signal, () => this.#ask(asked, signal));
      // While it is open: a hook that is neither open nor answered is lost.
      hooks.set(facts.id, came);
      return came;
    });
    this.#options.onWaitChanged();
    await outcome;
    this.#options.onWaitChanged();
    return outcome;
  }

  #ask({ at, place: _, ...call }: HostHookCall, signal: AbortSignal): Promise<HookAnswer> {
    return this.#call(at, this.#informed(call), signal);
  }

  async #call(at: number, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { id, path, depth, spec, task } = this.#run;
    const hooks = spec.hostHooks.get(at);
    if (hooks === undefined) {
      throw TroupeError.from(hookFailure(call.name, failure('internal', `no hooks at ${at}`)));
    }
    const agent = { id, name: spec.name, path, depth };
    const callId = 'callId' in call.subject ? call.subject.callId : null;
    return callHook(hooks, call, {
      agent,
      runId: task.id,
      signal,
      waitForPerson: (answer) => this.#options.waitForPerson(answer, { callId, signal }),
    });
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

function factsOf(asked: HostHookCall): CallFacts {
  const { name, subject } = asked;
  const callId = 'callId' in subject ? subject.callId : null;
  return { kind: 'hook', id: idOfHook(asked), name, callId };
}

/** Never rejects. A run that is to end already begins no hook. */
async function outcomeOf(
  signal: AbortSignal,
  call: () => Promise<HookAnswer>,
): Promise<HookOutcome> {
  try {
    signal.throwIfAborted();
    return { answer: await call() };
  } catch (error) {
    return { failed: toFailure(error, signal.aborted ? 'interrupted' : 'hook_failed') };
  }
}
