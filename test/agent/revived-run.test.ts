// Proves that a commit is all that a run needs: stopped after any of them and revived from the supervisor's record, it ends the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '#src/agent/run/advance.js';
import { RunRecord } from '#src/agent/run/record.js';
import type { RunEffect, RunInput } from '#src/agent/run/run-effects.js';
import { newRun, type RunRules, type RunState } from '#src/agent/run/run-state.js';
import { canLeave, revivedRun, savedRun } from '#src/agent/run/saved-run.js';
import { type Failure, failure } from '#src/base/failures.js';
import type { Message } from '#src/protocol/history.js';
import type { Steer } from '#src/protocol/run-controls.js';
import { parseRunEvent } from '#src/protocol/run-event-schema.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import { answerTo, Dice, someRules } from './random-run.ts';

/** What answers the same effect in the same way whenever it is wanted. */
type World = { readonly rules: RunRules; readonly seed: number };

const says = (role: 'user' | 'assistant', text: string): Message => ({
  role,
  content: [{ type: 'text', text }],
});
/** Long enough to be left out once the window is full. */
const memory = [says('user', 'before'), says('assistant', 'an earlier run '.repeat(400))];
const opened = [...memory, says('user', 'go')];

function hash(seed: number, text: string): number {
  let value = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return value;
}

function diceOf({ seed }: World, what: unknown): Dice {
  const key = hash(seed, JSON.stringify(what));
  return new Dice(Array.from({ length: 23 }, (_, at) => hash(key, `${at}`) >>> 3));
}

/** What the supervisor has of a run: its events, and the controls that it sent. */
class Host {
  readonly events: RunEvent[] = [];
  readonly record = new RunRecord(opened, memory.length);
  steers: readonly Steer[] = [];
  isPaused = false;
  interrupted: Failure | null = null;
  /** What it performs for the run when that leaves its thread. */
  open: readonly RunEffect[] = [];

  /** Events come as text, and are parsed as those of a thread are. */
  receive(event: RunEvent): void {
    const parsed = parseRunEvent(JSON.parse(JSON.stringify(event)));
    this.events.push(parsed);
    this.record.apply(parsed);
    if (parsed.type === 'steered') this.steers = this.steers.filter(({ id }) => id !== parsed.id);
  }

  send(input: RunInput): void {
    if (input.type === 'steer') this.steers = [...this.steers, input.steer];
    if (input.type === 'pause' || input.type === 'resume') this.isPaused = input.type === 'pause';
    if (input.type === 'interrupted') this.interrupted = input.error;
    if (input.type !== 'model_answered') return;
    this.record.spend({ ...input.response.usage, modelCalls: 1, costUsd: 0 });
  }

  copy(): Host {
    const copy = new Host();
    for (const event of this.events) copy.receive(event);
    copy.record.spend({ ...this.record.lastTokens, modelCalls: 1, costUsd: 0 });
    copy.steers = this.steers;
    copy.isPaused = this.isPaused;
    copy.interrupted = this.interrupted;
    copy.open = this.open;
    return copy;
  }
}

/** What follows an effect: controls that come before its answer, and the answer. */
function inputsAfter(world: World, effect: RunEffect, host: Host): readonly RunInput[] {
  const dice = diceOf(world, effect);
  let answer = answerTo(dice, effect);
  if (answer === null) return [];
  // Most answers let the run go on: what a commit has to carry shows in runs of some turns.
  if (dice.roll(6) > 0) {
    for (let tries = 0; tries < 8 && endsRun(answer); tries += 1) {
      answer = answerTo(diceOf(world, [effect, tries]), effect) ?? answer;
    }
  }
  const before: RunInput[] = [];
  if (effect.type === 'call_tool' && effect.call.name === 'emit') {
    before.push({ type: 'emitted', name: 'found', value: effect.call.id });
  }
  if (effect.type === 'ask_model') {
    const id = `s${effect.turn}`;
    const wasSent = [...host.steers, ...takenBy(host)].some((each) => each.id === id);
    if (dice.roll(4) === 0 && !wasSent) before.push({ type: 'steer', steer: { id, text: id } });
    if (dice.roll(8) === 0) before.push({ type: 'pause' });
  }
  if (dice.roll(30) === 0) {
    before.push({ type: 'interrupted', error: failure('interrupted', 'enough') });
  }
  return [...before, answer];
}

function endsRun(answer: RunInput): boolean {
  switch (answer.type) {
    case 'model_answered':
      return !['tool_use', 'pause_turn'].includes(answer.response.stopReason);
    case 'model_failed':
      return answer.error.code !== 'context_window_exceeded';
    case 'hook_failed':
      return answer.place === null;
    default:
      return answer.type === 'hook_answered' && answer.answer !== null && 'deny' in answer.answer;
  }
}

function takenBy({ events }: Host): readonly { readonly id: string }[] {
  return events.flatMap((event) => (event.type === 'steered' ? [event] : []));
}

type Open = {
  readonly order: number;
  readonly effect: RunEffect;
  readonly inputs: readonly RunInput[];
};

/** One stay of a run in a thread. `onCommit` is called when the supervisor has a commit. */
class Stay {
  readonly #open: Open[] = [];
  readonly #world: World;
  readonly #run: RunState;
  readonly #host: Host;
  readonly #onCommit: (host: Host) => void;

  constructor(world: World, run: RunState, host: Host, onCommit: (host: Host) => void) {
    this.#world = world;
    this.#run = run;
    this.#host = host;
    this.#onCommit = onCommit;
  }

  take(input: RunInput): void {
    this.#host.send(input);
    for (const effect of advance(this.#world.rules, this.#run, input)) {
      if (effect.type === 'publish') this.#publish(effect.event);
      else this.open(effect);
    }
    if (!canLeave(this.#world.rules, this.#run)) return;
    this.#host.open = this.#open.map(({ effect }) => effect);
    this.#publish({ type: 'run_parked', state: savedRun(this.#run), known: 0, isAsked: true });
    this.#host.open = [];
  }

  open(effect: RunEffect): void {
    const inputs = inputsAfter(this.#world, effect, this.#host);
    if (inputs.length === 0) return;
    this.#open.push({ order: hash(this.#world.seed, JSON.stringify(effect)), effect, inputs });
  }

  /** Answers come in an order of their own, whenever they were asked for. */
  toEnd(): RunState {
    for (let left = 2_000; this.#run.step.type !== 'ended'; left -= 1) {
      if (left === 0) throw new Error(`the run does not end: it is ${this.#run.step.type}`);
      this.#open.sort((a, b) => a.order - b.order);
      const [next] = this.#open;
      if (next === undefined) {
        this.take({ type: 'resume' });
        continue;
      }
      // It is open until its answer, which is the last.
      for (const input of next.inputs.slice(0, -1)) this.take(input);
      this.#open.splice(this.#open.indexOf(next), 1);
      for (const input of next.inputs.slice(-1)) this.take(input);
    }
    return this.#run;
  }

  #publish(event: RunEvent): void {
    this.#host.receive(event);
    const { record, interrupted } = this.#host;
    // A call that is interrupted is given up where it is not awaited: what it was answered is lost.
    if (record.saved.step?.type === 'asking' && interrupted !== null) return;
    if ('state' in event) this.#onCommit(this.#host);
  }
}

function straight(world: World) {
  const stops: Host[] = [];
  const request = { runId: 't1', messages: [says('user', 'go')] };
  const run = newRun(world.rules, memory, request, { steers: [], isPaused: false });
  const host = new Host();
  const stay = new Stay(world, run, host, (at) => stops.push(at.copy()));
  stay.take({ type: 'continue' });
  return { end: endOf(host, stay.toEnd()), stops };
}

/** Revives the run from what the supervisor has, and takes it to its end. */
function revived(world: World, host: Host) {
  const { record, steers, isPaused, interrupted, open } = host;
  const { messages, saved, begins, digest } = record;
  const emitted = Object.keys(record.emitted);
  const point = { runId: 't1', saved, begins, emitted, usage: record.lastTokens, digest };
  const run = revivedRun(messages, point, { steers, isPaused });
  const stay = new Stay(world, run, host, () => {});
  if (interrupted !== null) stay.take({ type: 'interrupted', error: interrupted });
  // What the host performs is answered wherever the run goes on; its model it asks again.
  for (const effect of open) if (effect.type !== 'ask_model') stay.open(effect);
  stay.take({ type: 'continue' });
  return endOf(host, stay.toEnd());
}

/** What the thread and the supervisor have when the run has ended. */
function endOf({ record }: Host, { step, messages }: RunState) {
  const { begins, turns, text, lastText, emitted } = record;
  return { step, messages, onRecord: record.messages, begins, turns, text, lastText, emitted };
}

describe('a run that is stopped after a commit', () => {
  it('goes on from the supervisor’s record alone, and ends as it would have (S9, W3)', () => {
    const commits = new Set<string>();
    fc.assert(
      fc.property(someRules, fc.nat(), (rules, seed) => {
        const world = { rules, seed };
        const { end, stops } = straight(world);

        for (const stop of stops) {
          for (const { type } of stop.events.slice(-1)) commits.add(type);
          expect(revived(world, stop)).toEqual(end);
        }
        expect(end.onRecord).toEqual(end.messages);
      }),
      { numRuns: 300 },
    );
    expect([...commits].sort()).toEqual([
      'model_response',
      'prompted',
      'run_parked',
      'shortened',
      'steered',
      'tool_results',
    ]);
  });
});
