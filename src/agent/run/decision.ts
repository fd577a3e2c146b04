// Owns what the decisions about a run share: its rules, its state, the effects so far, and what they may decide.
import type { Failure } from '../../base/failures.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../../protocol/history.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { shorten } from '../compaction.ts';
import type { HookCall } from '../hook-call.ts';
import { endAfterFailure } from '../turn.ts';
import { afterCommit, type Commit } from './conversation.ts';
import { digestOf, emptyDigest } from './digest.ts';
import type { RunEffect } from './run-effects.ts';
import type { RunRules, RunState } from './run-state.ts';
import { savedRun } from './saved-run.ts';

/** What a run does next. */
export type Move =
  /** Something is open: the run goes on when that is answered. */
  | { readonly type: 'wait' }
  | { readonly type: 'take_turn' }
  | { readonly type: 'ask_model' }
  | { readonly type: 'ask_closing' }
  | {
      readonly type: 'call_tools';
      readonly calls: readonly ToolUseBlock[];
      /** Results that some of them have already. */
      readonly known: readonly ToolResultBlock[];
    }
  | { readonly type: 'finish'; readonly end: RunEnd };

export const wait: Move = { type: 'wait' };
export const takeTurn: Move = { type: 'take_turn' };
export const askModel: Move = { type: 'ask_model' };
export const askClosing: Move = { type: 'ask_closing' };

/** One call of `advance`. */
export class Decision {
  readonly rules: RunRules;
  readonly run: RunState;
  readonly effects: RunEffect[] = [];

  constructor(rules: RunRules, run: RunState) {
    this.rules = rules;
    this.run = run;
  }

  publish(event: RunEvent, isUrgent = false): void {
    this.effects.push({ type: 'publish', event, isUrgent });
  }

  /** Changes the conversation, and publishes that with the run as it is then: its step has to be the one that follows. */
  commit(change: Commit): void {
    const { run } = this;
    ({ messages: run.messages, begins: run.begins } = afterCommit(run, change));
    run.digest = digestOf(run, change.type === 'shortened' ? emptyDigest : run.digest);
    // Its caller has just made it: a copy would cost more than the rest of the commit.
    this.publish(Object.assign(change, { state: savedRun(run) }));
  }

  callHook(at: number, call: HookCall): Move {
    this.effects.push({ type: 'call_hook', at, call, place: null });
    return wait;
  }

  /** Adds a user message of the loop itself. */
  prompt(text: string): void {
    this.commit({ type: 'prompted', turn: this.run.turn, message: userText(text) });
  }

  /** Shortens the conversation when the model's window is full, once in a run; false when that is no help any more. */
  makeSpace(isCut: boolean): boolean {
    const { run } = this;
    if (run.isShortened) return false;
    const shortening = shorten(run, { opening: this.rules.opening, isCut });
    if (shortening === null) return false;
    run.isShortened = true;
    this.commit({ type: 'shortened', turn: run.turn, shortening });
    return true;
  }

  /** The end of an interrupted run; `streamed` is the text of an answer that broke off. */
  interrupted(error: Failure, streamed = ''): Move {
    return { type: 'finish', end: endAfterFailure(error, streamed || this.run.text) };
  }
}

export function userText(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}
