// Owns the clocks of runs: idle, total, and one per tool call; which one fires, its message (V8, V9). Ends no run itself.
import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import type { RunPhase } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { IdleClock } from '../supervision/idle-clock.ts';
import { capabilityTags } from '../tools/tags.ts';
import type { AgentRuntime, LivenessCheck } from './agent-runtime.ts';
import type { Fired } from './end-cause.ts';
import type { SchedulerMessage } from './messages.ts';
import { PausableTimer } from './pausable-timer.ts';
import type { Run } from './state.ts';
import { statusOf, waitingCalls } from './waits.ts';
import { openCallsOf, SilentWork } from './working-calls.ts';

export type RunClocksOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly runtime: AgentRuntime;
  /** Ends a run whose time is over. */
  readonly dispatch: (message: SchedulerMessage) => void;
  /** Milliseconds one tool call may take; undefined for no limit. */
  readonly toolTimeoutMs: number | undefined;
  /** After a tool's time is over, how long its code may ignore it. */
  readonly interruptGraceMs: number;
};

/** Where in its limit the total clock asks the thread; the idle clock does so with its warning. */
const probedAt = 0.8;

export class RunClocks {
  readonly #options: RunClocksOptions;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** Starts the clocks of an agent that has its slot. */
  start(run: Run): void {
    this.#startIdle(run, run.spec.idleTimeoutMs);
    const { totalTimeoutMs } = run.spec;
    if (totalTimeoutMs === undefined) return;
    // A run of an earlier process has used some of it.
    const usedMs = this.#options.clock.now() - run.startedAt;
    this.#startTotal(run, totalTimeoutMs, usedMs);
  }

  onRunEvent(run: Run, event: RunEvent): void {
    if (event.type === 'tool_started') this.#toolStarted(run, event);
    else if (event.type === 'tool_completed') run.timers.stopCall(event.callId);
  }

  // Each clock believes its own probe: one that the other has just sent had no time to be answered.

  #startIdle(run: Run, limitMs: number): void {
    const { clock, events, runtime } = this.#options;
    let probe: LivenessCheck | null = null;
    const work = new SilentWork(limitMs);
    run.timers.idle = new IdleClock({
      clock,
      limitMs,
      heartbeats: () => beatsOf(run, runtime),
      waitsForDue: () => someoneBelow(run, ({ timers }) => timers.idle?.isDue === true),
      isLimitedOtherwise: () => {
        const isTimed = openCallsOf(run).some(({ isSelfTimed }) => isSelfTimed);
        // No time passes for what waits below it, nor for the run that waits for that.
        if (!isTimed && !hasWaitingBelow(run)) return false;
        run.touch();
        return true;
      },
      worksOn: () => {
        // It is being ended already, and has its graces.
        if (run.cause !== null) return true;
        const calls = openCallsOf(run);
        const isLimited =
          run.spec.totalTimeoutMs !== undefined || this.#options.toolTimeoutMs !== undefined;
        const names = work.goesOn({ phase: run.phaseBy(probe), calls, isLimited });
        if (names.length === 0) return false;
        events.emit('log', run.subject, { level: 'warn', message: work.warning(names) });
        run.touch();
        return true;
      },
      onWarning: (idleMs) => {
        const tools = openCallsOf(run).map(({ name }) => name);
        const silent = { idleMs, limitMs };
        events.emit('idle_warning', run.subject, tools.length > 0 ? { ...silent, tools } : silent);
        probe = this.#probe(run);
      },
      onIdle: () => {
        const phase = run.phaseBy(probe);
        const message = `no activity for ${work.silentMs} ms while ${phaseText(phase)}`;
        this.#end(run, { clock: 'idle', limitMs, phase, message });
      },
    });
  }

  #startTotal(run: Run, limitMs: number, usedMs: number): void {
    const { clock } = this.#options;
    let probe: LivenessCheck | null = null;
    const probing = new PausableTimer(clock, Math.max(0, limitMs * probedAt - usedMs), () => {
      probe = this.#probe(run);
    });
    const ending = new PausableTimer(clock, Math.max(0, limitMs - usedMs), () => {
      const phase = run.phaseBy(probe);
      const message = `the run took longer than ${limitMs} ms, it was ${phaseText(phase)}`;
      this.#end(run, { clock: 'total', limitMs, phase, message });
    });
    run.timers.total = [probing, ending];
  }

  #toolStarted(
    run: Run,
    { callId, name, where }: Extract<RunEvent, { type: 'tool_started' }>,
  ): void {
    const tool = run.spec.shared.tools.find((each) => each.name === name);
    const own = tool?.timeoutMs;
    // No call that delegates is cut by it, what it does ahead of its wait and a slow host included (decision 3).
    const delegates = tool?.tags.includes(capabilityTags.delegation) === true;
    const limitMs = own ?? (delegates ? undefined : this.#options.toolTimeoutMs);
    if (limitMs === undefined) return;
    const { clock, events, runtime, interruptGraceMs } = this.#options;
    const timer = new PausableTimer(clock, limitMs, () => {
      // Its result is on the way, or waits until its parked agent has a slot, or for a hook after it.
      if (where === 'host' && run.hostTools?.isDone(callId) === true) return;
      if (run.calls.isAfterTool(callId)) return;
      const phase = run.phase;
      events.emit('timeout_fired', run.subject, { clock: 'tool', limitMs, phase });
      const why = new TroupeError('tool_timeout', `the tool took longer than ${limitMs} ms`);
      // The agent may be parked: what it waits for ends where it is done.
      if (run.agent.isParked && run.calls.abortOutside(callId, why)) return;
      if (where === 'host') {
        run.hostTools?.abort(callId, why);
        if (run.hostTools?.isOpen(callId) === true) return;
        // It has not come yet: its thread is at the hooks before it.
        runtime.control(run.cell, { type: 'tool_timeout', callId, timeoutMs: limitMs });
        return;
      }
      runtime.control(run.cell, { type: 'tool_timeout', callId, timeoutMs: limitMs });
      // Code that ignores the end of its time ends with its thread.
      const grace = (): void => {
        // It waits for its children, which have graces of their own.
        if (run.calls.isWaiting(callId)) {
          setGrace();
          return;
        }
        this.#options.dispatch({ type: 'tool_overran', run, name, limitMs });
      };
      const setGrace = (): void => {
        const timer = new PausableTimer(clock, interruptGraceMs, grace);
        run.timers.setCall(callId, timer, 'everything');
      };
      setGrace();
    });
    // A tool's own limit is of the whole call. The one of all tools is no deadline of a call that waits (decision 3).
    run.timers.setCall(callId, timer, own === undefined ? 'work' : 'everything');
  }

  #end(run: Run, fired: Fired): void {
    this.#options.dispatch({ type: 'timed_out', run, fired });
  }

  /** Asks the thread for a sign of activation, so that the timeout can say whether it spins, is blocked, or is gone (V9). */
  #probe(run: Run): LivenessCheck {
    run.probe = this.#options.runtime.probe(run.cell);
    return run.probe;
  }
}

/** A person is asked for this call, or the run is paused: neither it nor what waits for it above loses time; returns how to go on (V8). */
export function suspendClocks(run: Run, callId: string | null): () => void {
  const releases: (() => void)[] = [];
  for (let at: Run | null = run; at !== null; at = at.parent) {
    const isOneCall = at === run && callId !== null;
    releases.push(at.timers.suspend(isOneCall ? [callId] : waitingCalls(at)));
  }
  return () => {
    for (const release of releases) release();
  };
}

/** The run waits for what is nothing of its own: it and those above are not idle meanwhile. Returns how to go on. */
export function suspendIdle(run: Run): () => void {
  const clocks: IdleClock[] = [];
  for (let at: Run | null = run; at !== null; at = at.parent) {
    if (at.timers.idle !== null) clocks.push(at.timers.idle);
  }
  for (const clock of clocks) clock.suspend();
  return () => {
    for (const clock of clocks) clock.release();
  };
}

/** Heartbeats of its tools and of those below it: a waiting parent counts its children's as activity (V8). */
function beatsOf(run: Run, runtime: Pick<AgentRuntime, 'heartbeats'>): number {
  let beats = runtime.heartbeats(run.cell);
  someoneBelow(run, (below) => {
    beats += runtime.heartbeats(below.cell);
    return false;
  });
  return beats;
}

/** A task below the run has not begun, or waits for a thread. */
function hasWaitingBelow({ branch }: Run): boolean {
  for (const { run, scope } of branch.children) {
    if (scope === 'session') continue;
    if (run === null || statusOf(run) === 'ready' || hasWaitingBelow(run)) return true;
  }
  return false;
}

function someoneBelow({ branch }: Run, isIt: (below: Run) => boolean): boolean {
  for (const { run } of branch.children) {
    if (run !== null && (isIt(run) || someoneBelow(run, isIt))) return true;
  }
  return false;
}

function phaseText(phase: RunPhase): string {
  return phase.replaceAll('_', ' ');
}
