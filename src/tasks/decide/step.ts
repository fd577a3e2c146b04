// Decides what follows what comes to a run without a thread: it is committed at once, and where nothing is owed to a thread the
// supervisor takes the step itself (W3).
import { advance } from '../../agent/run/advance.ts';
import { requestOf } from '../../agent/run/ask-model.ts';
import type { RunEffect, RunInput } from '../../agent/run/run-effects.ts';
import type { RunState } from '../../agent/run/run-state.ts';
import { revivedRun, savedRun } from '../../agent/run/saved-run.ts';
import { type Failure, failure, TroupeError } from '../../base/failures.ts';
import type { Metered } from '../../models/budget/meter.ts';
import type { FromGateway } from '../../protocol/model-messages.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { unsentSteers } from '../delivery.ts';
import { goesOn } from '../parking.ts';
import type { Run } from '../state.ts';
import { waitsForCalls } from '../waits.ts';
import type { World } from '../world.ts';
import { activate } from './begin.ts';
import { charge, chargeActivation, followEvent } from './follow.ts';
import { whenWritten } from './write.ts';

/** The model of a run without a thread has answered. */
export function modelMessage(
  world: World,
  run: Run,
  message: FromGateway,
  spent: Metered | null,
): void {
  const { record, agent } = run;
  const isOver = agent.run !== run || record.end !== null;
  // An answer to a call that was given up: it has taken what it took.
  if (isOver || !agent.isParked) {
    if (spent !== null) chargeActivation(world, agent, spent);
    return;
  }
  switch (message.type) {
    case 'model_response':
      takeStep(world, run, { type: 'model_answered', response: message.response }, spent);
      break;
    case 'model_failed':
      if (message.spent !== undefined) {
        followEvent(world, run, { type: 'model_broke_off', turn: record.turns }, spent);
        modelFailed(world, run, message.failure, null);
      } else modelFailed(world, run, message.failure, spent);
      break;
  }
}

/** A run that lost its gateway asks once more in a turn. */
function modelFailed(world: World, run: Run, error: Failure, spent: Metered | null): void {
  const { record } = run;
  const isLost = error.code === 'gateway_lost' && run.thread.askedAgainIn !== record.turns;
  if (isLost && run.cause === null) {
    if (spent !== null) charge(world, run, spent);
    run.thread.askedAgainIn = record.turns;
    askHere(world, run);
    return;
  }
  takeStep(world, run, { type: 'model_failed', error, streamed: record.streamed }, spent);
}

/** A run without a thread is to end; one that waits for calls on the host goes on when those are answered. */
export function endParked(world: World, run: Run): void {
  const { record, agent, cell, cause, task } = run;
  if (agent.run !== run || cause === null || record.end !== null) return;
  if (!agent.isParked) {
    // It is on its way to a thread: its message may have been handed over before it was interrupted.
    const control = { type: 'cancel', runId: task.id, reason: cause.error.message } as const;
    world.push({ type: 'control', cell, control });
    return;
  }
  switch (record.saved.step?.type) {
    case 'asking':
      // Its answer is the failure that ends the run, and says what the call took.
      if (record.isAsked) world.push({ type: 'abort_model', cell });
      else modelFailed(world, run, cause.error, null);
      break;
    case 'paused':
      takeStep(world, run, { type: 'continue' }, null);
      break;
    default:
      // What the host does for it is given up; with the last answer it goes on, to end.
      world.push({ type: 'end_signal', run, why: TroupeError.from(cause.error) });
      break;
  }
}

/** A run begins without a thread. */
export function beginParked(world: World, run: Run): void {
  if (run.agent.run === run && run.cause === null) {
    takeStep(world, run, { type: 'continue' }, null);
  }
}

/** Asks the model of a run that left its thread instead of asking. */
export function askHere(world: World, run: Run): void {
  const { record, spec } = run;
  push(world, run, requestOf(spec.shared, revived(run)));
  record.asked();
}

function push(
  world: World,
  run: Run,
  { turn, messages, toolChoice }: Extract<RunEffect, { type: 'ask_model' }>,
): void {
  const from = run.record.known;
  whenWritten(world, [{ type: 'ask_model', run, turn, messages, from, toolChoice }]);
}

/** Its pause is over. */
export function resumeParked(world: World, run: Run): void {
  if (run.record.saved.step?.type === 'paused') goOn(world, run);
}

/** A call of a run without a thread has its result: with the last one it goes on. */
export function resultsChanged(world: World, run: Run): void {
  if (waitsForCalls(run.record) && goesOn(run)) goOn(world, run);
}

function takeStep(world: World, run: Run, input: RunInput, spent: Metered | null): void {
  const { record, cause, spec } = run;
  const state = revived(run);
  const rules = spec.shared;
  const effects: RunEffect[] = [];
  if (cause !== null) {
    const error = failure('interrupted', cause.error.message);
    effects.push(...advance(rules, state, { type: 'interrupted', error }));
  }
  effects.push(...advance(rules, state, input));
  const isOwn = effects.every((effect) => isTakenHere(effect, state));
  let unspent = spent;
  let end: RunEnd | null = null;
  for (const event of isOwn ? eventsOf(effects) : upToLastCommit(eventsOf(effects))) {
    followEvent(world, run, event, unspent);
    unspent = null;
  }
  if (unspent !== null) charge(world, run, unspent);
  for (const effect of effects) if (effect.type === 'end') end = effect.end;
  if (!isOwn) {
    const isCommitted = eventsOf(effects).some(isCommit);
    // What a thread still has to react to goes there with the run.
    if (!isCommitted && input.type === 'model_failed') run.thread.failedCall = input;
    goOn(world, run);
  } else if (end !== null) finish(world, run, end);
  else {
    record.apply({
      type: 'run_parked',
      state: savedRun(state),
      known: record.known,
      isAsked: false,
    });
    for (const effect of effects) if (effect.type === 'ask_model') push(world, run, effect);
    if (state.step.type === 'asking') record.asked();
  }
}

/** No thread is needed for it: the model is asked with the conversation as it is on record. */
function isTakenHere(effect: RunEffect, { messages }: RunState): boolean {
  if (effect.type === 'ask_model') return effect.messages === messages;
  return effect.type === 'publish' || effect.type === 'end';
}

/** The run as it was when it left its thread, or with what was committed since. */
function revived({ record, task }: Run): RunState {
  const { saved, begins, lastTokens: usage, digest } = record;
  const emitted = Object.keys(record.emitted);
  const facts = { runId: task.id, saved, begins, emitted, usage, digest };
  const early = { steers: unsentSteers(task.steers), isPaused: task.isPaused };
  return revivedRun(record.messages, facts, early);
}

function eventsOf(effects: readonly RunEffect[]): readonly RunEvent[] {
  return effects.flatMap((effect) => (effect.type === 'publish' ? [effect.event] : []));
}

/** What follows the last commit is done again where the run goes on. */
function upToLastCommit(events: readonly RunEvent[]): readonly RunEvent[] {
  return events.slice(0, events.findLastIndex(isCommit) + 1);
}

function isCommit(event: RunEvent): boolean {
  return 'state' in event;
}

/** The run is over without another thread. */
function finish(world: World, run: Run, end: RunEnd): void {
  const { agent, cell, task } = run;
  followEvent(world, run, { type: 'run_ended', runId: task.id, end }, null);
  const result = end.exitReason === 'interrupted' ? 'interrupted' : 'processed';
  world.push({ type: 'end_parked', cell, isOver: agent.lifetime === 'task', result });
}

/** The run needs a thread again: one that is counted as live asks for it at once, every other one has to be let in first. */
function goOn(world: World, run: Run): void {
  const { agent } = run;
  run.timers.idle?.pause();
  run.timers.pauseCalls();
  run.thread.readyAt = world.now;
  if (agent.isLive) activate(world, agent);
  else if (agent.slot === 'yielded') {
    world.queue.joinReady(agent);
    world.areSlotsDue = true;
  }
}
