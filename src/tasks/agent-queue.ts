// Owns how the runs of spawned agents begin: one after the other, on the thread that is there or on one that is lined up
// for (P2). Leaves out the agents' own beginning and end (standing-desk.ts).
import type { Cell } from '../actor/cell.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { Clock } from '../base/clock.ts';
import type { EventBus } from '../events/events.ts';
import type { Decision } from '../supervision/admission.ts';
import type { AgentHouse } from './agent-runtime.ts';
import type { Endings } from './completion/completion.ts';
import type { StandingRest } from './idle-passivation.ts';
import { openRun } from './open-run.ts';
import type { StandingAgent } from './persistent-agent.ts';
import { noRoom, overLimit } from './refusals.ts';
import { AgentEntry } from './run.ts';
import type { AgentLives } from './services/run-services.ts';
import type { Line } from './slot-queue.ts';
import type { Steering } from './steering-queue.ts';
import type { TaskEntry } from './task-record.ts';

export type StandingRunsOptions = {
  readonly line: Line;
  readonly activations: AgentLives;
  readonly endings: Endings;
  readonly house: AgentHouse;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly steering: Steering;
  readonly rest: StandingRest;
  readonly admitRoot: () => Decision;
  /** Puts an agent that begins a run on the books, its clocks running. */
  readonly enroll: (entry: TaskEntry, agent: AgentEntry) => void;
  /** Looks who may start. */
  readonly pump: () => void;
  /** An agent has a thread and no run: somebody may wait for it. */
  readonly onIdle: () => void;
};

export class StandingRuns {
  readonly #options: StandingRunsOptions;

  constructor(options: StandingRunsOptions) {
    this.#options = options;
  }

  /** Begins the next run when the agent is free and nothing is paused. */
  next(agent: StandingAgent): void {
    const { line, house, rest, onIdle, endings } = this.#options;
    const { cell, run, isOpening, waiting } = agent;
    if (cell === null || agent.state.status !== 'live') return;
    if (run !== null || isOpening) return;
    const [entry] = waiting;
    if (entry === undefined) {
      if (agent.isPassive) return;
      rest.idle(agent);
      onIdle();
      return;
    }
    if (!house.hasRoom(taskMessage(entry.task))) {
      endings.endWaiting(entry, noRoom);
      this.next(agent);
      return;
    }
    if (line.isPaused) return;
    // One that is about to be passive has its turn when it is.
    if (cell.state.status === 'passivating') return;
    rest.leave(agent);
    if (cell.state.status === 'passive') {
      this.#lineUp(agent);
      return;
    }
    agent.hasStayed = false;
    const opening = house.openTree(cell, entry.id);
    if (opening === null) {
      this.#begin(agent, cell, entry);
      return;
    }
    agent.isOpening = true;
    void opening.then(() => {
      agent.isOpening = false;
      // It may have been interrupted meanwhile, and the next one has a budget of its own.
      if (entry.isEnded || line.isPaused || agent.state.status !== 'live') this.next(agent);
      else this.#begin(agent, cell, entry);
    });
  }

  /** A passive agent has a run to begin: it needs a slot, as a root does (V7, P2). */
  #lineUp(agent: StandingAgent): void {
    const { line, admitRoot, pump, endings } = this.#options;
    if (line.has(agent)) return;
    agent.order = line.nextOrder();
    const verdict = admitRoot();
    switch (verdict.type) {
      case 'start':
        this.activate(agent);
        break;
      case 'queue':
        line.join(agent);
        pump();
        break;
      case 'reject': {
        const end = overLimit(verdict);
        for (const entry of [...agent.waiting]) endings.endWaiting(entry, end);
        break;
      }
    }
  }

  /** The run is there before the life: it goes over with its start, and ends with its failure (P2). */
  activate(agent: StandingAgent): void {
    const { line, events, house, activations } = this.#options;
    const { cell } = agent;
    const [entry] = agent.waiting;
    // The run that it lined up for may have been withdrawn.
    if (cell === null || entry === undefined || agent.run !== null) return;
    line.takeSlot(agent);
    agent.hasStayed = false;
    events.emit('agent_activated', agent.subject, {});
    this.#begin(agent, cell, entry);
    house.activate(cell, activations.activationOf(agent));
  }

  #begin(home: StandingAgent, cell: Cell, entry: TaskEntry): void {
    const { clock, house, events, enroll, steering } = this.#options;
    const { plan, memory } = home;
    const wallTime = clock.wallTime();
    const { prompt, record } = openRun({ plan, task: entry.task, memory, wallTime });
    const run = new AgentEntry({
      cell,
      task: entry,
      plan,
      parent: null,
      record,
      startedAt: clock.now(),
    });
    run.hasStarted = true;
    home.waiting.delete(entry);
    home.run = run;
    enroll(entry, run);
    events.emit('task_started', run.subject, {});
    const steers = steering.handOver(entry);
    house.send(cell, { type: 'run', runId: entry.id, messages: [prompt], ...steers });
  }
}
