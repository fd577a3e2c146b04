// Owns the clocks of runs: idle, total, and one per tool call; which one fires, its message, its effect (V8, V9).
import type { Clock } from '../base/clock.ts';
import type { FailureCode } from '../base/failure-codes.ts';
import { failure, TroupeError } from '../base/failures.ts';
import type { OutcomeExitReason, RunPhase } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { capabilityTags } from '../tools/tags.ts';
import type { AgentRuntime, LivenessCheck, Supervision } from './agent-runtime.ts';
import type { RunBelow } from './branch.ts';
import { interruptRun } from './interrupt-run.ts';
import { PausableTimer } from './pausable-timer.ts';
import type { Run } from './run.ts';
import { openCallsOf, SilentWork } from './working-calls.ts';

export type RunClocksOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly runtime: AgentRuntime;
  readonly startIdleClock: Supervision['startIdleClock'];
  /** Milliseconds one tool call may take; undefined for no limit. */
  readonly toolTimeoutMs: number | undefined;
  /** After a tool's time is over, how long its code may ignore it. */
  readonly interruptGraceMs: number;
};

/** Where in its limit the total clock asks the thread; the idle clock does so with its warning. */
const probedAt = 0.8;

/** The end of a run's time, its phase as it was found then. */
type Fired = {
  readonly clock: 'idle' | 'total';
  readonly limitMs: number;
  readonly phase: RunPhase;
  readonly message: string;
};

/** Why a run ended whose clock fired; the code of its failure too. */
const reasons: Readonly<Record<Fired['clock'], OutcomeExitReason & FailureCode>> = {
  idle: 'idle_timeout',
  total: 'total_timeout',
};

export class RunClocks {
  readonly #options: RunClocksOptions;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** Starts the clocks of an agent that has its slot. */
  start(agent: Run): void {
    this.#startIdle(agent, agent.spec.idleTimeoutMs);
    const { totalTimeoutMs } = agent.spec;
    if (totalTimeoutMs !== undefined) this.#startTotal(agent, totalTimeoutMs);
  }

  /** A person is asked for this call, or the run is paused: neither it nor what waits for it above loses time; returns how to go on (V8). */
  suspend(agent: Run, callId: string | null): () => void {
    const releases: (() => void)[] = [];
    for (let at: Run | null = agent; at !== null; at = at.parent) {
      releases.push(at.suspendClocks(at === agent ? callId : null));
    }
    return () => {
      for (const release of releases) release();
    };
  }

  onRunEvent(agent: Run, event: RunEvent): void {
    if (event.type === 'tool_started') this.#toolStarted(agent, event);
    else if (event.type === 'tool_completed') agent.stopToolTimer(event.callId);
  }

  // Each clock believes its own probe: one that the other has just sent had no time to be answered.

  #startIdle(agent: Run, limitMs: number): void {
    const { clock, events, runtime } = this.#options;
    let probe: LivenessCheck | null = null;
    const work = new SilentWork(limitMs);
    agent.idle = this.#options.startIdleClock({
      clock,
      limitMs,
      heartbeats: () => beatsOf(agent, runtime),
      waitsForDue: () => someoneBelow(agent, ({ idle }) => idle?.isDue === true),
      isLimitedOtherwise: () => {
        if (!openCallsOf(agent).some(({ isSelfTimed }) => isSelfTimed)) return false;
        agent.touch();
        return true;
      },
      worksOn: () => {
        // It is being ended already, and has its graces.
        if (agent.cause !== null) return true;
        const calls = openCallsOf(agent);
        const isLimited =
          agent.spec.totalTimeoutMs !== undefined || this.#options.toolTimeoutMs !== undefined;
        const names = work.goesOn({ phase: agent.phaseBy(probe), calls, isLimited });
        if (names.length === 0) return false;
        events.emit('log', agent.subject, { level: 'warn', message: work.warning(names) });
        agent.touch();
        return true;
      },
      onWarning: (idleMs) => {
        const tools = openCallsOf(agent).map(({ name }) => name);
        const silent = { idleMs, limitMs };
        events.emit(
          'idle_warning',
          agent.subject,
          tools.length > 0 ? { ...silent, tools } : silent,
        );
        probe = this.#probe(agent);
      },
      onIdle: () => {
        const phase = agent.phaseBy(probe);
        const message = `no activity for ${work.silentMs} ms while ${phaseText(phase)}`;
        // The waiting parent receives this end, and has its own time to go on with what it had (F3).
        agent.parent?.touch();
        this.#end(agent, { clock: 'idle', limitMs, phase, message });
      },
    });
  }

  #startTotal(agent: Run, limitMs: number): void {
    const { clock } = this.#options;
    let probe: LivenessCheck | null = null;
    const probing = new PausableTimer(clock, limitMs * probedAt, () => {
      probe = this.#probe(agent);
    });
    const ending = new PausableTimer(clock, limitMs, () => {
      const phase = agent.phaseBy(probe);
      const message = `the run took longer than ${limitMs} ms, it was ${phaseText(phase)}`;
      this.#end(agent, { clock: 'total', limitMs, phase, message });
    });
    agent.total = [probing, ending];
  }

  #toolStarted(
    agent: Run,
    { callId, name, where }: Extract<RunEvent, { type: 'tool_started' }>,
  ): void {
    const tool = agent.spec.shared.tools.find((each) => each.name === name);
    const own = tool?.timeoutMs;
    // No call that delegates is cut by it, what it does ahead of its wait and a slow host included (decision 3).
    const delegates = tool?.tags.includes(capabilityTags.delegation) === true;
    const limitMs = own ?? (delegates ? undefined : this.#options.toolTimeoutMs);
    if (limitMs === undefined) return;
    const { clock, events, runtime, interruptGraceMs } = this.#options;
    const timer = new PausableTimer(clock, limitMs, () => {
      // Its result is on the way, or waits until its parked agent has a slot.
      if (where === 'host' && agent.hostTools?.isDone(callId) === true) return;
      const phase = agent.phase;
      events.emit('timeout_fired', agent.subject, { clock: 'tool', limitMs, phase });
      if (where === 'host') {
        // The agent may be parked: its call ends where it runs.
        const why = `the tool took longer than ${limitMs} ms`;
        agent.hostTools?.abort(callId, new TroupeError('tool_timeout', why));
        if (agent.hostTools?.isOpen(callId) === true) return;
        // It has not come yet: its thread is at the hooks before it.
        runtime.control(agent.cell, { type: 'tool_timeout', callId, timeoutMs: limitMs });
        return;
      }
      runtime.control(agent.cell, { type: 'tool_timeout', callId, timeoutMs: limitMs });
      // Code that ignores the end of its time ends with its thread.
      const grace = (): void => {
        // It waits for its children, which have graces of their own.
        if (agent.pendingWorkerCalls.has(callId)) {
          setGrace();
          return;
        }
        const message = `${name} went on after its ${limitMs} ms were over`;
        agent.endFor('error', failure('tool_timeout', message));
        void interruptRun(runtime, agent, { reason: 'a tool ignored its timeout' });
      };
      const setGrace = (): void => {
        const timer = new PausableTimer(clock, interruptGraceMs, grace);
        agent.setToolTimer(callId, timer, 'everything');
      };
      setGrace();
    });
    // A tool's own limit is of the whole call. The one of all tools is no deadline of a call that waits (decision 3).
    agent.setToolTimer(callId, timer, own === undefined ? 'work' : 'everything');
  }

  #end(agent: Run, { message, ...fired }: Fired): void {
    const { events, runtime } = this.#options;
    const exitReason = reasons[fired.clock];
    events.emit('timeout_fired', agent.subject, fired);
    agent.endFor(exitReason, failure(exitReason, message), fired.phase);
    void interruptRun(runtime, agent, { reason: message });
  }

  /** Asks the thread for a sign of activation, so that the timeout can say whether it spins, is blocked, or is gone (V9). */
  #probe(agent: Run): LivenessCheck {
    agent.probe = this.#options.runtime.probe(agent.cell);
    return agent.probe;
  }
}

/** Heartbeats of its tools and of those below it: a waiting parent counts its children's as activity (V8). */
function beatsOf(agent: Run, runtime: Pick<AgentRuntime, 'heartbeats'>): number {
  let beats = runtime.heartbeats(agent.cell);
  someoneBelow(agent, (below) => {
    beats += runtime.heartbeats(below.cell);
    return false;
  });
  return beats;
}

function someoneBelow({ branch }: RunBelow, isIt: (below: RunBelow) => boolean): boolean {
  for (const { run } of branch.children) {
    if (run !== null && (isIt(run) || someoneBelow(run, isIt))) return true;
  }
  return false;
}

function phaseText(phase: RunPhase): string {
  return phase.replaceAll('_', ' ');
}
