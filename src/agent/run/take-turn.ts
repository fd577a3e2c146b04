// Owns how a turn begins: after a pause, with steering messages, or as the closing message of a run out of turns. Pure.
import type { Closing } from '../../protocol/parked-run.ts';
import { requiredOutputTools } from '../required-outputs.ts';
import { closingPrompt, outOfTurns } from '../turn.ts';
import { askModel, type Decision, type Move, wait } from './decision.ts';

/** A model that gives no closing message, or none that fits, is asked once again. */
const maxClosingRequests = 2;

export function beginTurn(decision: Decision): Move {
  const { run, rules } = decision;
  if (run.isPaused) {
    run.step = { type: 'paused' };
    decision.publish({ type: 'paused' });
    return run.interrupted === null ? wait : endPause(decision);
  }
  if (run.interrupted !== null) return decision.interrupted(run.interrupted);
  if (run.turn >= rules.maxTurns) return endOfTurns(decision);
  run.turn += 1;
  const { turn, steers } = run;
  run.steers = [];
  for (const { id, text } of steers) {
    decision.publish({ type: 'steered', turn, id, message: decision.addUserText(text) });
  }
  decision.publish({ type: 'turn_started', turn });
  return askModel;
}

/** The run was resumed, or interrupted while it was paused. */
export function endPause(decision: Decision): Move {
  decision.publish({ type: 'went_on' });
  const { interrupted } = decision.run;
  return interrupted === null ? beginTurn(decision) : decision.interrupted(interrupted);
}

function endOfTurns({ rules, run }: Decision): Move {
  const end = outOfTurns(rules.maxTurns, run.text);
  if (rules.summaryTurn !== true) return { type: 'finish', end };
  return { type: 'ask_closing', closing: { end, asked: 0, missing: [], text: null } };
}

/** Asks for a closing message, in a turn of its own (D18). */
export function beginClosing(decision: Decision, { end, asked }: Closing): Move {
  const { run, rules } = decision;
  if (asked === maxClosingRequests) return { type: 'finish', end: { ...end, text: run.text } };
  const missing = requiredOutputTools(rules, run.progress);
  run.closing = { end, asked: asked + 1, missing, text: null };
  run.turn += 1;
  decision.prompt(closingPrompt(missing));
  decision.publish({ type: 'turn_started', turn: run.turn });
  return askModel;
}
