// Owns the approval of tools by a person: who is asked, for how long, which answers are kept, paused clocks (V8).
// Leaves out what an answer means (approval-answer.ts), and which calls need one (tools/approval-policy.ts).
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { failure, toFailure } from '../../base/failures.ts';
import { toFault } from '../../base/stack.ts';
import { openController } from '../../base/when-aborted.ts';
import { abortablePromise, withAbort } from '../../base/with-abort.ts';
import type { EventSubject } from '../../events/event-types.ts';
import type { EventBus } from '../../events/events.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { ApprovalReason } from '../../tools/approval-policy.ts';
import type { RunEntry } from '../journal/run-entry.ts';
import type { OpenCall } from '../open-calls.ts';
import { suspendClocks } from '../run-clocks.ts';
import type { Run } from '../state.ts';
import { type ApprovalAnswer, readAnswer } from './approval-answer.ts';

/** What a person is asked. */
export type ApprovalRequest = {
  /** The model's id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What it can do, by its tags: those of `capabilityTags`, and its author's own. */
  readonly tags: readonly string[];
  /** A copy of what the model gave, without presets of the tool: what is changed in it changes nothing of the call. */
  readonly input: unknown;
  /** Why a person is asked: every pattern that names the tool; where none does, the tool itself declares it. */
  readonly requiredBy: readonly ApprovalReason[];
  /** The agent that calls it. Of a session's own loop: no id, the session's name, the path `/`. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The task that the agent works on; empty for a session's own loop. */
  readonly taskId: string;
  /** Aborted when the answer is of no use any more. */
  readonly signal: AbortSignal;
};

/** Asks a person; brought by the program. What it throws counts as a denial. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

export type ApprovalOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly approve: Approve | undefined;
  readonly timeoutMs: number;
  /** Writes down of a run that a person was asked, or has agreed; resolves once that is durable. */
  readonly record: (run: Run, entry: RunEntry) => Promise<void>;
};

/** Who calls the tool. */
export type Asker = Pick<ApprovalRequest, 'agent' | 'taskId'> & {
  readonly subject: EventSubject;
  /** What an answer for a run is kept for. */
  readonly of: object;
};

export type AskedCall = {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly tags: readonly string[];
  readonly requiredBy: readonly ApprovalReason[];
};

type OpenQuestion = {
  readonly asker: Asker;
  readonly tool: string;
  readonly settle: (answer: Approval) => void;
};

const useless = failure('aborted', 'the answer is of no use any more');
const closed = 'the supervisor was closed';
const allowed: Approval = { status: 'allowed' };

export class Approvals {
  readonly #options: ApprovalOptions;
  /** Tools that may run as long as the supervisor is there, with the agent's name. */
  readonly #always = new Set<string>();
  /** Names of tools that may run, by what their answers are kept for: a run keeps them when it leaves its thread. */
  readonly #ofRuns = new WeakMap<object, Set<string>>();
  readonly #open = new Set<OpenQuestion>();
  #isClosed = false;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /** A person can be asked. */
  get canAsk(): boolean {
    return this.#options.approve !== undefined;
  }

  /** No person is asked any more; questions that are open are denied. Those of runs have ended with them. */
  close(): void {
    this.#isClosed = true;
    for (const { tool, settle } of [...this.#open]) settle(denied(tool, closed));
  }

  /** How long a person may take. */
  get limit(): Pick<ApprovalOptions, 'clock' | 'timeoutMs'> {
    return this.#options;
  }

  /** Never rejects, and never answers later than its limit. `keep` receives the answer while the question is still open. */
  async ask(
    run: Run,
    call: AskedCall,
    signal: AbortSignal,
    keep: (answer: Approval) => void = () => {},
  ): Promise<Approval> {
    const agent = { id: run.id, name: run.spec.name, path: run.path };
    const asker: Asker = { agent, taskId: run.task.id, subject: run.subject, of: run };
    const known = this.#answerOf(asker, call, signal);
    if (known !== null) {
      keep(known);
      return known;
    }
    const { callId, name } = call;
    this.#options.events.emit('approval_requested', run.subject, { callId, name });
    const release = suspendClocks(run, callId);
    try {
      return await run.calls.during({ kind: 'approval', id: callId }, signal, async (open) => {
        const answer = await run.calls.waiting(open, this.#onRecord(run, call, open, asker));
        keep(answer);
        return answer;
      });
    } finally {
      release();
    }
  }

  /** A restart finds that the tool has not run, or may have. What cannot be written down does not run. */
  async #onRecord(run: Run, call: AskedCall, open: OpenCall, asker: Asker): Promise<Approval> {
    if (run.task.written.log === null) return this.#inTime(asker, call, open);
    const { record } = this.#options;
    const { callId } = call;
    const isAsked: RunEntry = { type: 'approval_asked', callId };
    const isGiven: RunEntry = { type: 'approval_given', callId };
    try {
      await record(run, isAsked);
      const answer = await this.#inTime(asker, call, open);
      if (answer.status !== 'denied') await record(run, isGiven);
      return answer;
    } catch (thrown) {
      return { status: 'denied', failure: toFailure(thrown, 'journal_failed') };
    }
  }

  /** The same for a loop of the program's own, which has no clocks here. */
  async askOfLoop(asker: Asker, call: AskedCall, signal: AbortSignal): Promise<Approval> {
    const known = this.#answerOf(asker, call, signal);
    if (known !== null) return known;
    const { callId, name } = call;
    this.#options.events.emit('approval_requested', asker.subject, { callId, name });
    const abort = openController();
    const onAbort = ({ reason }: AbortSignal): void => abort.abort(reason);
    return withAbort(signal, onAbort, () =>
      this.#inTime(asker, call, { signal: abort.signal, abort }),
    );
  }

  /** The answer without a question; null when a person is to be asked. */
  #answerOf(asker: Asker, { name }: AskedCall, signal: AbortSignal): Approval | null {
    if (!this.canAsk) return denied(name, 'the service has no approve option');
    if (this.#isClosed) return denied(name, closed);
    // A call that was given up before its request arrived here needs no approval.
    if (signal.aborted) {
      return { status: 'denied', failure: toFailure(signal.reason, 'interrupted') };
    }
    return this.#isKept(asker, name) ? allowed : null;
  }

  #isKept(asker: Asker, tool: string): boolean {
    return this.#always.has(keyOf(asker, tool)) || this.#ofRuns.get(asker.of)?.has(tool) === true;
  }

  /** Further questions that the answer covers are answered by it. */
  #keep(asker: Asker, tool: string, scope: 'run' | 'always'): void {
    if (scope === 'always') this.#always.add(keyOf(asker, tool));
    else {
      const tools = this.#ofRuns.get(asker.of) ?? new Set();
      this.#ofRuns.set(asker.of, tools.add(tool));
    }
    for (const question of [...this.#open]) {
      if (this.#isKept(question.asker, question.tool)) question.settle(allowed);
    }
  }

  /** The answer, or why there is none. Never rejects. */
  async #inTime(
    asker: Asker,
    call: AskedCall,
    { signal, abort }: Pick<OpenCall, 'signal' | 'abort'>,
  ): Promise<Approval> {
    const { clock, timeoutMs } = this.#options;
    const late = denied(call.name, `no answer came within ${timeoutMs} ms`);
    const settled = abortablePromise<Approval>(signal, (settle) => {
      const question: OpenQuestion = { asker, tool: call.name, settle };
      this.#open.add(question);
      const cancel = clock.after(timeoutMs, () => settle(late));
      return () => {
        this.#open.delete(question);
        cancel();
      };
    });
    try {
      return await Promise.race([this.#answer(asker, call, signal), settled]);
    } catch (reason) {
      return { status: 'denied', failure: toFailure(reason, 'interrupted') };
    } finally {
      abort.abort(useless);
    }
  }

  async #answer(
    asker: Asker,
    { callId, name, tags, input, requiredBy }: AskedCall,
    signal: AbortSignal,
  ): Promise<Approval> {
    const { agent, taskId } = asker;
    try {
      const answer: unknown = await this.#options.approve?.({
        callId,
        tool: name,
        tags: [...tags],
        // Copies: an approval is of the call as it is; an answer says what it changes.
        input: copyData(input),
        requiredBy: copyData(requiredBy),
        agent: { ...agent },
        taskId,
        signal,
      });
      const decision = readAnswer(answer);
      if (decision.type === 'deny') return denied(name, decision.why);
      if (decision.type === 'edit') return { status: 'edited', input: decision.input };
      // What is answered after its time opens nothing.
      if (decision.scope !== 'once' && !signal.aborted) this.#keep(asker, name, decision.scope);
      return allowed;
    } catch (error) {
      const fault = toFault(error, 'approval_denied');
      this.#options.events.emit('log', asker.subject, {
        level: 'error',
        message: `the question whether tool "${name}" may run could not be asked`,
        failure: fault,
      });
      return denied(name, `asking failed: ${fault.message}`);
    }
  }
}

function keyOf({ agent }: Asker, tool: string): string {
  return `${tool} of ${agent.name}`;
}

function denied(name: string, why: string): Approval {
  // A person's text may end as a sentence.
  const end = /[.!?]$/.test(why) ? '' : '.';
  const text = `Tool "${name}" needs a person's approval and did not get it: ${why}${end} It was not run.`;
  return { status: 'denied', failure: failure('approval_denied', text) };
}
