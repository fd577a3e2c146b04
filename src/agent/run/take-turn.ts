// Owns how a turn begins: after a pause, with steering messages, or as the closing message of a run out of turns. Pure.
import { requiredOutputTools } from '../required-outputs.ts';
import { closingPrompt, outOfTurns } from '../turn.ts';
import { askClosing, askModel, type Decision, type Move, userText, wait } from './decision.ts';
import { asking, betweenTurns } from './run-state.ts';

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
  run.step = betweenTurns;
  const { steers } = run;
  run.steers = [];
  const turn = run.turn + 1;
  for (const { id, text } of steers) {
    decision.commit({ type: 'steered', turn, id, message: userText(text) });
  }
  run.turn = turn;
  return askAgain(decision);
}

/** Asks the model in the current turn. */
export function askAgain(decision: Decision): Move {
  decision.publish({ type: 'turn_started', turn: decision.run.turn });
  return askModel;
}

/** The run was resumed, or interrupted while it was paused. */
export function endPause(decision: Decision): Move {
  decision.publish({ type: 'went_on' });
  const { interrupted } = decision.run;
  return interrupted === null ? beginTurn(decision) : decision.interrupted(interrupted);
}

function endOfTurns({ rules, run }: Decision): Move {
  if (rules.summaryTurn === true) return askClosing;
  return { type: 'finish', end: outOfTurns(rules.maxTurns, run.text) };
}

/** Asks for a closing message, in a turn of its own (D18). */
export function beginClosing(decision: Decision): Move {
  const { run, rules } = decision;
  if (run.closingRequests === maxClosingRequests) {
    return { type: 'finish', end: outOfTurns(rules.maxTurns, run.text) };
  }
  run.closingRequests += 1;
  run.turn += 1;
  run.step = asking;
  decision.prompt(closingPrompt(requiredOutputTools(rules, run.progress)));
  return askAgain(decision);
}
