// Owns how a run leaves its thread while it waits: when it may, what it reports, what makes it stay (W1, W5).
import type { Self } from '../actor/behavior.ts';
import { nextTurn } from '../base/next-turn.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { CommitGate } from './commit-gate.ts';
import type { RunRules, RunState } from './run/run-state.ts';
import { canLeave, savedRun } from './run/saved-run.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

/** How long what a tool has left is given to end, while nothing else is done in the thread. */
const settlingMs = 5;

export class ThreadLeave {
  readonly #rules: RunRules;
  readonly #state: RunState;
  readonly #around: WorkerEnvironment;
  readonly #self: Self;
  readonly #gate: CommitGate | null;
  #hasLeft = false;
  #isLooking = false;
  #isPinned = false;
  /** The supervisor has asked, and has no answer yet. */
  #isRequested = false;

  constructor(
    rules: RunRules,
    state: RunState,
    around: WorkerEnvironment,
    { self, gate }: { readonly self: Self; readonly gate: CommitGate | null },
  ) {
    this.#rules = rules;
    this.#state = state;
    this.#around = around;
    this.#self = self;
    this.#gate = gate;
  }

  /** The run goes on in another activation: nothing that happens here concerns it. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** A tool keeps something in the thread that nothing here sees: the run stays until its end. */
  pin(): void {
    this.#isPinned = true;
  }

  /** The run may have begun to wait: it leaves when its thread is needed. */
  offer(): void {
    const { leaving } = this.#around;
    if (this.#isPinned || this.#hasLeft || this.#isLooking) return;
    if (!this.#awaitsModel() || !leaving.isNeeded()) return;
    void this.#leave();
  }

  /** The run is about to ask its model: the supervisor does, when the thread is needed for another run. */
  insteadOfAsking(): boolean {
    const { leaving } = this.#around;
    if (this.#isPinned || this.#hasLeft || this.#isLooking) return false;
    if (leaving.isAlwaysNeeded()) return false;
    // To look for what is left takes longer than to look whether that matters.
    if (!leaving.isNeeded() || leaving.leftBehind().length > 0) return false;
    if (!leaving.takePlace()) return false;
    this.#report(false);
    return true;
  }

  /** The supervisor asks for the thread, and is answered. */
  request(): void {
    if (this.#hasLeft) return;
    this.#isRequested = true;
    if (this.#isLooking) return;
    if (this.#isPinned) this.#refuse(['what a tool keeps']);
    else if (canLeave(this.#rules, this.#state)) void this.#leave();
    else this.#refuse([]);
  }

  /** Leaves without an answer to wait for, for the gateway of its model was lost: the supervisor asks again. */
  leaveToAskAgain(): boolean {
    if (this.#isPinned || this.#hasLeft) return false;
    if (this.#around.leaving.leftBehind().length > 0) return false;
    this.#report(false);
    return true;
  }

  async #leave(): Promise<void> {
    const { leaving, model, hasRunCode } = this.#around;
    let leaks = leaving.leftBehind();
    if (hasRunCode() && leaks.length > 0) {
      leaks = await this.#settled();
      if (this.#hasLeft || this.#state.step.type === 'ended') return;
    }
    const isAsking = this.#state.step.type === 'asking';
    // A call that waits for the journal has not been made.
    const isWaiting = leaving.hasUnsent() || this.#gate?.isOpen === false;
    const isFree = canLeave(this.#rules, this.#state) && !isWaiting && leaks.length === 0;
    // A place is taken last: only a run that could leave may.
    if (isFree && !this.#isRequested && !leaving.takePlace()) return;
    if (!isFree || (isAsking && !model.detach())) {
      this.#refuse(leaks);
      return;
    }
    this.#report(isAsking);
  }

  /** What a tool used is still there when it ends: Node closes files, sockets and timers within the next turns of its loop. */
  async #settled(): Promise<readonly string[]> {
    const { leaving, clock } = this.#around;
    this.#isLooking = true;
    const until = clock.now() + settlingMs;
    let leaks: readonly string[];
    do {
      await nextTurn();
      leaks = leaving.leftBehind();
    } while (leaks.length > 0 && clock.now() < until);
    this.#isLooking = false;
    return leaks;
  }

  /** `isAsked`: the model has been asked, and its answer is on its way to the supervisor. */
  #report(isAsked: boolean): void {
    this.#hasLeft = true;
    const known = this.#around.model.knownOf(this.#state.messages);
    this.#publish({ type: 'run_parked', state: savedRun(this.#state), known, isAsked });
    this.#around.leaving.leave();
  }

  #refuse(leaks: readonly string[]): void {
    this.#isRequested = false;
    this.#publish({ type: 'park_refused', leaks });
  }

  /** Calls on the host may not have been sent yet: only the supervisor knows of those. */
  #awaitsModel(): boolean {
    const { type } = this.#state.step;
    return type === 'asking' || type === 'paused';
  }

  #publish(event: RunEvent): void {
    this.#self.publish(event);
  }
}
