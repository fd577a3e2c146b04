// Owns the approval of tools by a person: who is asked, for how long, what the answer means, paused clocks (V8).
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, type Failure, failure, toFailure } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { toFault } from '../../base/stack.ts';
import { abortablePromise } from '../../base/with-abort.ts';
import type { EventBus } from '../../events/events.ts';
import type { OpenCall } from '../open-calls.ts';
import { suspendClocks } from '../run-clocks.ts';
import type { Run } from '../state.ts';

/** What a person is asked. */
export type ApprovalRequest = {
  /** The model's id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** A copy of what the model gave: what is changed in it changes nothing of the call. */
  readonly input: unknown;
  /** The agent that calls it. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The task that the agent works on. */
  readonly taskId: string;
  /** Aborted when the answer is of no use any more. */
  readonly signal: AbortSignal;
};

/** Whether the tool runs: `true` as `approve`, `false` as `deny`. The text of a denial is what the model reads as its result. */
export type ApprovalAnswer = boolean | 'approve' | 'deny' | { readonly deny: string };

/** Asks a person; brought by the program. What it throws counts as a denial. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

export type ApprovalOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly approve: Approve | undefined;
  readonly timeoutMs: number;
};

const useless = failure('aborted', 'the answer is of no use any more');

type AskedCall = { readonly callId: string; readonly name: string; readonly input: unknown };

export class Approvals {
  readonly #options: ApprovalOptions;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /**
   * Resolves with null when the call may run, else with why not; never rejects, and never later than its limit. `keep` receives
   * the answer while the question is still open.
   */
  async ask(
    run: Run,
    call: AskedCall,
    signal: AbortSignal,
    keep: (answer: Failure | null) => void = () => {},
  ): Promise<Failure | null> {
    const refused = this.#refuse(call, signal);
    if (refused !== null) {
      keep(refused);
      return refused;
    }
    const { callId, name } = call;
    this.#options.events.emit('approval_requested', run.subject, { callId, name });
    const release = suspendClocks(run, callId);
    try {
      return await run.calls.during({ kind: 'approval', id: callId }, signal, async (open) => {
        const answer = await run.calls.waiting(open, this.#inTime(run, call, open));
        keep(answer);
        return answer;
      });
    } finally {
      release();
    }
  }

  /** Why the answer is no without a question; null when a person is to be asked. */
  #refuse({ name }: AskedCall, signal: AbortSignal): Failure | null {
    const { approve } = this.#options;
    if (approve === undefined) return denied(name, 'the service has no approve option');
    // A call that was given up before its request arrived here needs no approval.
    return signal.aborted ? toFailure(signal.reason, 'interrupted') : null;
  }

  /** The answer, or why there is none. Never rejects. */
  async #inTime(run: Run, call: AskedCall, { signal, abort }: OpenCall): Promise<Failure | null> {
    const { clock, timeoutMs } = this.#options;
    const late = denied(call.name, `no answer came within ${timeoutMs} ms`);
    const givenUp = abortablePromise<Failure>(signal, (resolve) =>
      clock.after(timeoutMs, () => resolve(late)),
    );
    try {
      return await Promise.race([this.#answer(run, call, signal), givenUp]);
    } catch (reason) {
      return toFailure(reason, 'interrupted');
    } finally {
      abort.abort(useless);
    }
  }

  async #answer(
    run: Run,
    { callId, name, input }: AskedCall,
    signal: AbortSignal,
  ): Promise<Failure | null> {
    try {
      const answer: unknown = await this.#options.approve?.({
        callId,
        tool: name,
        // A copy: an approval is of the call as it is, and edits none.
        input: copyData(input),
        agent: { id: run.id, name: run.spec.name, path: run.path },
        taskId: run.task.id,
        signal,
      });
      if (answer === true || answer === 'approve') return null;
      if (answer === false || answer === 'deny') return denied(name, 'it was denied');
      const text = isRecord(answer) ? answer['deny'] : undefined;
      return denied(name, typeof text === 'string' ? text : `the answer was ${describe(answer)}`);
    } catch (error) {
      const fault = toFault(error, 'approval_denied');
      this.#options.events.emit('log', run.subject, {
        level: 'error',
        message: `the question whether tool "${name}" may run could not be asked`,
        failure: fault,
      });
      return denied(name, `asking failed: ${fault.message}`);
    }
  }
}

function denied(name: string, why: string): Failure {
  const text = `Tool "${name}" needs a person's approval and did not get it: ${why}. It was not run.`;
  return failure('approval_denied', text);
}
