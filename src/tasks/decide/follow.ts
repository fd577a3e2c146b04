// Decides what follows each run event: the record, its public event, what was spent, steers, pauses, parking.
import { addUsage } from '../../base/outcome.ts';
import type { Metered } from '../../models/budget/meter.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { publishFilesLeftOut, publishRunEvent } from '../run-event-publisher.ts';
import type { Agent, Run } from '../state.ts';
import type { World } from '../world.ts';
import { confirm } from './steer.ts';
import { writeEntry, writeEvent } from './write.ts';

export function followEvent(world: World, run: Run, event: RunEvent, spent: Metered | null): void {
  const { record, task } = run;
  record.apply(event, world.now);
  run.touch();
  if (event.type === 'tool_results') run.answers = null;
  else if (event.type === 'turn_started' || event.type === 'tool_started') {
    run.thread.askAgainAt = 0;
    run.thread.wasLeaking = false;
    run.thread.failedCall = null;
  }
  if (event.type === 'tool_started' || event.type === 'tool_completed') {
    world.push({ type: 'call_clock', run, event });
  }
  publishRunEvent(world, run.subject, event, (callId) => record.durationOf(callId));
  if (event.type === 'touched' && record.files.leftOut === 1) publishFilesLeftOut(world, run);
  const isInEvent = writeEvent(world, run, event, spent?.usage ?? null);
  if (spent !== null) {
    if (isInEvent) count(world, run, spent);
    else charge(world, run, spent);
  }
  if (event.type === 'steered') confirm(world, task, event.id, event.turn);
  // It may have been resumed while its run event was on the way.
  if (event.type === 'paused' && task.isPaused) world.push({ type: 'suspend_clocks', task, run });
  else if (event.type === 'went_on') world.push({ type: 'resume_clocks', task });
}

/** The gateway has counted this for an activation that is over; what its thread has not reported is charged all the same (V10). */
export function chargeActivation(world: World, agent: Agent, spent: Metered | null): void {
  if (spent === null) return;
  if (agent.run !== null) {
    charge(world, agent.run, spent);
    return;
  }
  const { branch, subject } = agent;
  const { usage, isEstimated } = spent;
  branch.usage = addUsage(branch.usage, usage);
  world.emit('usage_recorded', subject, { turn: 0, usage, isEstimated });
}

/** The gateway has counted this for the run. */
export function charge(world: World, run: Run, spent: Metered): void {
  writeEntry(world, run.task, { type: 'spent' }, spent.usage);
  count(world, run, spent);
}

function count(world: World, run: Run, { usage, isEstimated }: Metered): void {
  run.record.spend(usage);
  world.emit('usage_recorded', run.subject, { turn: run.record.turns, usage, isEstimated });
}
