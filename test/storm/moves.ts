// Owns what can happen in a storm over trees of agents, as plain data that fast-check makes up and shrinks.
import fc from 'fast-check';

/** Things are named by any number; it is taken modulo those there are. */
type Which = number;

/** A call that a puppet's model asks for. */
export type Call =
  | {
      readonly call: 'delegate' | 'delegate_task' | 'hand_over_all';
      readonly width: number;
      readonly role: 'leaf' | 'orchestrator';
    }
  | { readonly call: 'begin' | 'begin_in_thread' }
  | {
      readonly call: 'join' | 'join_in_thread';
      readonly task: Which;
      /** Looks, and does not wait. */
      readonly looks: boolean;
    }
  | { readonly call: 'stop'; readonly task: Which }
  | { readonly call: (typeof plainCalls)[number] };

/** Those without arguments of their own. */
const plainCalls = [
  'gate',
  'deaf_host',
  'ask_parent',
  'careful',
  'always',
  'terminal',
  'spin',
  'ignore',
  'wait',
  'deaf',
  'exit',
  'reject',
  'throw_later',
  'nonsense',
] as const;

/** What a model that was asked says: calls, an answer when there are none, or a failure. */
export type Turn = { readonly calls: readonly Call[] } | { readonly fails: true };

export type Move =
  | { readonly move: 'start'; readonly how: 'task' | 'session'; readonly timeout: boolean }
  | { readonly move: 'batch'; readonly width: number }
  | { readonly move: 'session_call'; readonly width: number }
  | { readonly move: 'play'; readonly at: Which; readonly turn: Turn }
  | {
      readonly move: 'interrupt';
      readonly at: Which;
      readonly by: 'taskId' | 'agentId' | 'path';
      readonly scope: 'run' | 'agent' | 'subtree';
    }
  | { readonly move: 'unspin' | 'steer' | 'steer_root'; readonly at: Which }
  | { readonly move: 'pause_task' | 'resume_task'; readonly at: Which }
  | { readonly move: 'pause' | 'resume' }
  | { readonly move: 'release' | 'answer' | 'approve' | 'deny' | 'abort'; readonly at: Which }
  | { readonly move: 'wait' | 'look' | 'acknowledge'; readonly at: Which }
  | { readonly move: 'spawn' }
  | { readonly move: 'ask' | 'tell' | 'stop' | 'kill' | 'interrupt_run'; readonly at: Which };

const at = fc.nat({ max: 1_000 });
const { record, constant, constantFrom } = fc;

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 8,
    arbitrary: record({
      call: constantFrom('delegate' as const, 'delegate' as const, 'delegate_task' as const),
      width: fc.integer({ min: 1, max: 5 }),
      role: constantFrom('leaf' as const, 'orchestrator' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      call: constantFrom('delegate' as const, 'delegate_task' as const, 'hand_over_all' as const),
      width: constantFrom(1, 2, 60),
      role: constant('leaf' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: record({ call: constantFrom('begin' as const, 'begin_in_thread' as const) }),
  },
  {
    weight: 3,
    arbitrary: record({
      call: constantFrom('join' as const, 'join_in_thread' as const),
      task: at,
      looks: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: record({ call: constant('stop' as const), task: at }) },
  { weight: 7, arbitrary: record({ call: constantFrom(...plainCalls) }) },
  {
    weight: 5,
    arbitrary: record({
      call: constantFrom('gate' as const, 'ask_parent' as const, 'careful' as const),
    }),
  },
);

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 10, arbitrary: record({ calls: constant([]) }) },
  { weight: 9, arbitrary: record({ calls: fc.array(call, { minLength: 1, maxLength: 1 }) }) },
  { weight: 3, arbitrary: record({ calls: fc.array(call, { minLength: 2, maxLength: 3 }) }) },
  { weight: 1, arbitrary: constant({ fails: true as const }) },
);

export const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: record({
      move: constant('start' as const),
      how: constantFrom('task' as const, 'task' as const, 'session' as const),
      timeout: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      move: constantFrom('batch' as const, 'session_call' as const),
      width: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 34, arbitrary: record({ move: constant('play' as const), at, turn }) },
  {
    weight: 2,
    arbitrary: record({
      move: constant('interrupt' as const),
      at,
      by: constantFrom('taskId' as const, 'agentId' as const, 'path' as const),
      scope: constantFrom('run' as const, 'run' as const, 'agent' as const, 'subtree' as const),
    }),
  },
  {
    weight: 9,
    arbitrary: record({
      move: constantFrom('unspin' as const, 'steer' as const, 'steer_root' as const),
      at,
    }),
  },
  {
    weight: 8,
    arbitrary: record({
      move: constantFrom('pause_task' as const, 'resume_task' as const, 'resume_task' as const),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      move: constantFrom(...(['pause', ...Array<'resume'>(11).fill('resume')] as const)),
    }),
  },
  {
    weight: 16,
    arbitrary: record({
      move: constantFrom(
        ...(['release', 'release', 'answer', 'answer', 'approve', 'deny', 'abort'] as const),
      ),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      move: constantFrom('wait' as const, 'look' as const, 'acknowledge' as const),
      at,
    }),
  },
  { weight: 1, arbitrary: record({ move: constant('spawn' as const) }) },
  {
    weight: 5,
    arbitrary: record({
      move: constantFrom(
        ...(['ask', 'ask', 'tell', 'tell', 'stop', 'kill', 'interrupt_run'] as const),
      ),
      at,
    }),
  },
);
