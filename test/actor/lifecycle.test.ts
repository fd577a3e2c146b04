// Checks the activation of a cell: every state with every event.
import { describe, expect, it } from 'vitest';
import type { CellEvent, CellState, Transition } from '#src/actor/cell-state.js';
import { isOver, transition } from '#src/actor/lifecycle.js';
import { failure } from '#src/base/failures.js';

const cause = failure('spawn_failed', 'no');
const crash = { reason: 'crashed', failure: failure('crashed', 'boom') } as const;

const states = {
  starting: { status: 'starting', isPaused: false },
  starting_paused: { status: 'starting', isPaused: true },
  running: { status: 'running' },
  paused: { status: 'paused' },
  stopping: { status: 'stopping', reason: 'stopped' },
  killing: { status: 'killing', reason: 'killed' },
  ended: { status: 'ended', exit: crash, isPaused: false },
  ended_paused: { status: 'ended', exit: crash, isPaused: true },
  parked: { status: 'parked', isPaused: false },
  parked_paused: { status: 'parked', isPaused: true },
  passivating: { status: 'passivating', isPaused: false },
  passivating_paused: { status: 'passivating', isPaused: true },
  passive: { status: 'passivated', isPaused: false },
  passive_paused: { status: 'passivated', isPaused: true },
  activating: { status: 'activating', isPaused: false },
  activating_paused: { status: 'activating', isPaused: true },
  unresponsive: { status: 'unresponsive' },
  stopped: { status: 'stopped', exit: { reason: 'normal' } },
} as const satisfies Record<string, CellState>;

const events = {
  started: { type: 'started' },
  start_failed: { type: 'start_failed', failure: cause },
  activation_ended: { type: 'activation_ended', exit: { reason: 'normal' } },
  crashed: { type: 'activation_ended', exit: crash },
  stop: { type: 'stop', reason: 'parent_exit' },
  kill: { type: 'kill', reason: 'crashed' },
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  parked: { type: 'parked' },
  activate: { type: 'activate' },
  passivate: { type: 'passivate' },
  passivated: { type: 'passivated' },
  stayed_live: { type: 'stayed_live' },
  kill_overdue: { type: 'kill_overdue' },
  restart: { type: 'restart' },
  finish: { type: 'finish', exit: crash },
} as const satisfies Record<string, CellEvent>;

type StateName = keyof typeof states;
type EventName = keyof typeof events;

const spawnFailed = { reason: 'spawn_failed', failure: cause } as const;
const stopping: CellState = { status: 'stopping', reason: 'parent_exit' };
const killing: Transition = [
  { status: 'killing', reason: 'crashed' },
  ['close_mail', 'kill_host', 'watch_kill'],
];
const restarting = (isPaused: boolean): Transition => [
  { status: 'starting', isPaused },
  ['next_incarnation', 'launch'],
];
const outlived = (isPaused: boolean): Transition => [
  { status: 'passivated', isPaused },
  ['next_incarnation'],
];
const activating = (isPaused: boolean): Transition => [
  { status: 'activating', isPaused },
  ['launch'],
];
const finished: Transition = [{ status: 'stopped', exit: crash }, ['release']];

function ended(exit: Extract<CellState, { status: 'ended' }>['exit'], isPaused = false): CellState {
  return { status: 'ended', exit, isPaused };
}

/** What is not named here is impossible, and changes nothing. */
const table: { readonly [State in StateName]: { readonly [Event in EventName]?: Transition } } = {
  starting: {
    started: [states.running, ['open_mail']],
    start_failed: [ended(spawnFailed), ['report_exit']],
    activation_ended: [ended({ reason: 'normal' }), ['report_exit']],
    crashed: [ended(crash), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    pause: [states.starting_paused, []],
  },
  starting_paused: {
    started: [states.paused, []],
    start_failed: [ended(spawnFailed, true), ['report_exit']],
    activation_ended: [ended({ reason: 'normal' }, true), ['report_exit']],
    crashed: [ended(crash, true), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    resume: [states.starting, []],
  },
  running: {
    activation_ended: [ended({ reason: 'normal' }), ['close_mail', 'report_exit']],
    crashed: [ended(crash), ['close_mail', 'report_exit']],
    stop: [stopping, ['close_mail', 'send_stop']],
    kill: killing,
    pause: [states.paused, ['close_mail']],
    parked: [states.parked, ['close_mail']],
    passivate: [states.passivating, ['close_mail', 'ask_snapshot']],
  },
  paused: {
    activation_ended: [ended({ reason: 'normal' }, true), ['close_mail', 'report_exit']],
    crashed: [ended(crash, true), ['close_mail', 'report_exit']],
    stop: [stopping, ['close_mail', 'send_stop']],
    kill: killing,
    resume: [states.running, ['open_mail']],
    parked: [states.parked_paused, ['close_mail']],
  },
  stopping: {
    start_failed: [ended(spawnFailed), ['report_exit']],
    activation_ended: [ended({ reason: 'stopped' }), ['report_exit']],
    crashed: [ended(crash), ['report_exit']],
    kill: killing,
    parked: [ended({ reason: 'stopped' }), ['report_exit']],
    passivated: [ended({ reason: 'stopped' }), ['report_exit']],
  },
  killing: {
    start_failed: [ended({ reason: 'killed' }), ['report_exit']],
    activation_ended: [ended({ reason: 'killed' }), ['report_exit']],
    crashed: [ended({ reason: 'killed' }), ['report_exit']],
    parked: [ended({ reason: 'killed' }), ['report_exit']],
    passivated: [ended({ reason: 'killed' }), ['report_exit']],
    kill_overdue: [states.unresponsive, ['report_unresponsive', 'release']],
  },
  ended: {
    pause: [states.ended_paused, []],
    restart: restarting(false),
    passivate: outlived(false),
    finish: finished,
  },
  ended_paused: {
    resume: [states.ended, []],
    restart: restarting(true),
    passivate: outlived(true),
    finish: finished,
  },
  parked: {
    stop: [ended({ reason: 'parent_exit' }), ['report_exit']],
    kill: [ended({ reason: 'crashed' }), ['report_exit']],
    pause: [states.parked_paused, []],
    activate: restarting(false),
    activation_ended: [ended({ reason: 'normal' }), ['report_exit']],
    crashed: [ended(crash), ['report_exit']],
    passivated: [states.passive, []],
  },
  parked_paused: {
    stop: [ended({ reason: 'parent_exit' }), ['report_exit']],
    kill: [ended({ reason: 'crashed' }), ['report_exit']],
    resume: [states.parked, []],
    activate: restarting(true),
    activation_ended: [ended({ reason: 'normal' }, true), ['report_exit']],
    crashed: [ended(crash, true), ['report_exit']],
    passivated: [states.passive_paused, []],
  },
  passivating: {
    passivated: [states.passive, ['report_exit']],
    stayed_live: [states.running, ['open_mail']],
    activation_ended: [ended({ reason: 'normal' }), ['report_exit']],
    crashed: [ended(crash), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    pause: [states.passivating_paused, []],
  },
  passivating_paused: {
    passivated: [states.passive_paused, ['report_exit']],
    stayed_live: [states.paused, []],
    activation_ended: [ended({ reason: 'normal' }, true), ['report_exit']],
    crashed: [ended(crash, true), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    resume: [states.passivating, []],
  },
  passive: {
    activate: activating(false),
    stop: [ended({ reason: 'parent_exit' }), ['report_exit']],
    kill: [ended({ reason: 'crashed' }), ['report_exit']],
    pause: [states.passive_paused, []],
  },
  passive_paused: {
    activate: activating(true),
    stop: [ended({ reason: 'parent_exit' }), ['report_exit']],
    kill: [ended({ reason: 'crashed' }), ['report_exit']],
    resume: [states.passive, []],
  },
  activating: {
    started: [states.running, ['open_mail']],
    start_failed: [states.passive, []],
    activation_ended: [ended({ reason: 'normal' }), ['report_exit']],
    crashed: [ended(crash), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    pause: [states.activating_paused, []],
  },
  activating_paused: {
    started: [states.paused, []],
    start_failed: [states.passive_paused, []],
    activation_ended: [ended({ reason: 'normal' }, true), ['report_exit']],
    crashed: [ended(crash, true), ['report_exit']],
    stop: [stopping, ['send_stop']],
    kill: killing,
    resume: [states.activating, []],
  },
  unresponsive: {
    activation_ended: [{ status: 'stopped', exit: { reason: 'unresponsive' } }, ['report_gone']],
    crashed: [{ status: 'stopped', exit: { reason: 'unresponsive' } }, ['report_gone']],
  },
  stopped: {},
};

const stateNames = Object.keys(states) as StateName[];
const eventNames = Object.keys(events) as EventName[];

describe('transition', () => {
  const rows = stateNames.flatMap((state) => eventNames.map((event) => ({ state, event })));

  it.each(rows)('takes $event while $state', ({ state, event }) => {
    const before: CellState = states[state];
    const expected: Transition = table[state][event] ?? [before, []];

    expect(transition(before, events[event])).toEqual(expected);
  });

  it('lets nothing but the end of the host follow a kill (S1)', () => {
    for (const event of ['stop', 'kill', 'pause', 'resume', 'restart', 'finish'] as const) {
      expect(transition(states.killing, events[event])[0]).toBe(states.killing);
    }
  });
});

describe('isOver', () => {
  it.each(stateNames)('is right about %s', (name) => {
    expect(isOver(states[name])).toBe(name === 'unresponsive' || name === 'stopped');
  });
});
