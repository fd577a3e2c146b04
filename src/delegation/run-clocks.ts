// Owns the clocks of runs: idle, total, and one per tool call; what fires, what it says, what it does (V8, V9).
import type { AgentNote } from '../agent/notes.ts';
import type { Clock } from '../clock.ts';
import { failure, TroupeError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { RunPhase } from '../outcome.ts';
import type { AgentEntry } from './agent-entry.ts';
import { interruptRun } from './interrupt-run.ts';
import type { AgentHouse, Supervision } from './port.ts';

export type RunClocksOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly house: AgentHouse;
  readonly startIdleClock: Supervision['startIdleClock'];
  /** Milliseconds one tool call may take; undefined for no limit. */
  readonly toolTimeoutMs: number | undefined;
  /** After a tool's time is over, how long its code may ignore it. */
  readonly interruptGraceMs: number;
};

export class RunClocks {
  readonly #options: RunClocksOptions;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** Starts the clocks of an agent that has its slot. */
  start(agent: AgentEntry): void {
    const { clock, events, house } = this.#options;
    const { idleTimeoutMs: limitMs, totalTimeoutMs } = agent.plan;
    agent.idle = this.#options.startIdleClock({
      clock,
      limitMs,
      heartbeats: () => house.heartbeats(agent.cell),
      onWarning: (idleMs) => {
        events.emit('idle_warning', agent.subject, { idleMs, limitMs });
        this.#probe(agent);
      },
      onIdle: () => {
        const phase = agent.phase;
        events.emit('timeout_fired', agent.subject, { clock: 'idle', limitMs, phase });
        const message = `no activity for ${limitMs} ms while ${inWords(phase)}`;
        this.#end(agent, 'idle_timeout', message);
      },
    });
    if (totalTimeoutMs === undefined) return;
    agent.cancelTotal = clock.after(totalTimeoutMs, () => {
      const phase = agent.phase;
      const payload = { clock: 'total' as const, limitMs: totalTimeoutMs, phase };
      events.emit('timeout_fired', agent.subject, payload);
      const message = `the run took longer than ${totalTimeoutMs} ms, it was ${inWords(phase)}`;
      this.#end(agent, 'total_timeout', message);
    });
  }

  note(agent: AgentEntry, note: AgentNote): void {
    if (note.type === 'tool_started') this.#toolStarted(agent, note);
    else if (note.type === 'tool_completed') agent.stopToolTimer(note.callId);
  }

  #toolStarted(
    agent: AgentEntry,
    { callId, name, where }: Extract<AgentNote, { type: 'tool_started' }>,
  ): void {
    const own = agent.plan.shared.tools.find((tool) => tool.name === name)?.timeoutMs;
    const limitMs = own ?? this.#options.toolTimeoutMs;
    if (limitMs === undefined) return;
    const { clock, events, house, interruptGraceMs } = this.#options;
    const cancel = clock.after(limitMs, () => {
      // Its result is on the way, or waits until its parked agent has a slot.
      if (where === 'host' && agent.hostTools?.isDone(callId) === true) return;
      const phase = agent.phase;
      events.emit('timeout_fired', agent.subject, { clock: 'tool', limitMs, phase });
      if (where === 'host') {
        // The agent may be parked: its call ends where it runs.
        const why = `the tool took longer than ${limitMs} ms`;
        agent.hostTools?.abort(callId, new TroupeError('tool_timeout', why));
        return;
      }
      house.control(agent.cell, { type: 'tool_timeout', callId, timeoutMs: limitMs });
      // Code that ignores the end of its time ends with its thread.
      const cancelGrace = clock.after(interruptGraceMs, () => {
        const message = `${name} went on after its ${limitMs} ms were over`;
        agent.endFor('error', failure('tool_timeout', message));
        void interruptRun(house, agent, { reason: 'a tool ignored its timeout' });
      });
      agent.setToolTimer(callId, cancelGrace);
    });
    agent.setToolTimer(callId, cancel);
  }

  #end(agent: AgentEntry, exitReason: 'idle_timeout' | 'total_timeout', message: string): void {
    agent.endFor(exitReason, failure(exitReason, message));
    void interruptRun(this.#options.house, agent, { reason: message });
  }

  /** Asks the thread for a sign of life, so that the timeout can say whether it spins (V9). */
  #probe(agent: AgentEntry): void {
    agent.isSilent = true;
    this.#options.house.ping(agent.cell, () => {
      agent.isSilent = false;
    });
  }
}

function inWords(phase: RunPhase): string {
  return phase.replaceAll('_', ' ');
}
