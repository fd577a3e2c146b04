// Decides how what runs is ended before its time: by an interrupt, a stop, a kill, a clock (S4, V8).
import { type FailureCode, failure } from '../../base/failures.ts';
import type { OutcomeExitReason } from '../../base/outcome.ts';
import type { Fired } from '../end-cause.ts';
import type { Ending } from '../ending.ts';
import type { Agent, Run } from '../state.ts';
import type { World } from '../world.ts';
import { leaveIdle } from './begin.ts';
import { endBelow, endQueue, runsBelow } from './end.ts';
import { interruptActor } from './interrupt-actor.ts';
import { loadMemory } from './memory.ts';
import { writeEntry } from './write.ts';

/** Why a run ended whose clock fired; the code of its failure too. */
const reasons: Readonly<Record<Fired['clock'], OutcomeExitReason & FailureCode>> = {
  idle: 'idle_timeout',
  total: 'total_timeout',
};

/** Ends a run; what waits below it ends here, and has a receipt as what runs there has (S4). */
export function interrupt(world: World, run: Run, ending: Ending): void {
  const { options, error } = ending;
  const { scope = 'run', reason } = options;
  const { path: target, subject } = run;
  world.emit('interrupt_requested', subject, { scope, reason, target });
  run.endFor('interrupted', error);
  writeEntry(world, run.task, { type: 'interrupted', reason: error.message });
  ending.running = runsBelow(run);
  ending.waiting = endBelow(world, run, error);
  interruptActor(world, run, options, ending);
}

/** Ends a persistent agent with its run and all that waits for it (S5). */
export function endAgent(world: World, agent: Agent, ending: Ending): void {
  const { cell, run } = agent;
  if (cell === null) return;
  const { error } = ending;
  if (agent.isTaking) agent.status = 'ending';
  leaveIdle(world, agent);
  // A parked run whose calls are answered still ends on a thread.
  if (!agent.isReady) world.queue.leave(agent);
  endQueue(world, agent, { exitReason: 'interrupted', error });
  run?.endFor('interrupted', error);
  ending.running = run === null ? [] : runsBelow(run);
  ending.waiting = run === null ? [] : endBelow(world, run, error);
  // Its reference still has its conversation after its end.
  loadMemory(world, agent);
  world.push({ type: 'end_agent', cell, ending });
}

/** The time of a run is over. */
export function timedOut(world: World, run: Run, { message, ...fired }: Fired): void {
  const exitReason = reasons[fired.clock];
  world.emit('timeout_fired', run.subject, fired);
  // The waiting parent receives this end, and has its own time to go on with what it had (F3).
  if (fired.clock === 'idle') run.parent?.touch();
  run.endFor(exitReason, failure(exitReason, message), fired.phase);
  interruptActor(world, run, { reason: message });
}

/** Code of a tool that ignores the end of its time ends with its thread. */
export function toolOverran(world: World, run: Run, name: string, limitMs: number): void {
  const message = `${name} went on after its ${limitMs} ms were over`;
  run.endFor('error', failure('tool_timeout', message));
  interruptActor(world, run, { reason: 'a tool ignored its timeout' });
}
