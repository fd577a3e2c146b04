// Owns what can happen in a storm, as plain data that fast-check makes up and shrinks.
import fc from 'fast-check';

/** Actors are named by any number; it is taken modulo those there are. */
type Who = number;

export type Operation =
  | {
      readonly op: 'spawn';
      readonly parent: Who | null;
      readonly restart: 'permanent' | 'transient' | 'temporary';
      readonly window: number;
      readonly isLinked: boolean;
      readonly isAwaited: boolean;
    }
  | { readonly op: 'tell'; readonly to: Who; readonly count: number }
  | {
      readonly op: 'ask' | 'offer' | 'slow' | 'end' | 'pause' | 'resume' | 'stop' | 'kill';
      readonly to: Who;
    }
  | { readonly op: 'relay'; readonly via: Who; readonly to: Who; readonly count: number }
  | { readonly op: 'relayAsk' | 'relayOffer'; readonly via: Who; readonly to: Who }
  | { readonly op: 'child'; readonly via: Who; readonly isAwaited: boolean }
  | { readonly op: 'crash'; readonly to: Who; readonly how: 'throw' | 'exit' | 'reject' }
  | { readonly op: 'hang'; readonly to: Who; readonly how: 'spin' | 'wait' | 'deaf' }
  | { readonly op: 'interrupt'; readonly to: Who; readonly scope: 'run' | 'agent' | 'subtree' }
  | { readonly op: 'breathe'; readonly turns: number };

const who = fc.nat({ max: 20 });
const count = fc.integer({ min: 1, max: 120 });
const record = fc.record;

const termination: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: record({
      op: fc.constant('spawn' as const),
      parent: fc.option(who),
      restart: fc.constantFrom('permanent' as const, 'transient' as const, 'temporary' as const),
      window: fc.constantFrom(1, 3, 64),
      isLinked: fc.boolean(),
      isAwaited: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: record({ op: fc.constant('tell' as const), to: who, count }) },
  {
    weight: 9,
    arbitrary: record({
      op: fc.constantFrom(
        'ask' as const,
        'offer' as const,
        'slow' as const,
        'pause' as const,
        'resume' as const,
      ),
      to: who,
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      op: fc.constantFrom('end' as const, 'stop' as const, 'kill' as const),
      to: who,
    }),
  },
  { weight: 4, arbitrary: record({ op: fc.constant('relay' as const), via: who, to: who, count }) },
  {
    weight: 4,
    arbitrary: record({
      op: fc.constantFrom('relayAsk' as const, 'relayOffer' as const),
      via: who,
      to: who,
    }),
  },
  {
    weight: 2,
    arbitrary: record({ op: fc.constant('child' as const), via: who, isAwaited: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: record({
      op: fc.constant('crash' as const),
      to: who,
      how: fc.constantFrom('throw' as const, 'throw' as const, 'exit' as const, 'reject' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      op: fc.constant('hang' as const),
      to: who,
      how: fc.constantFrom(
        'spin' as const,
        'spin' as const,
        'wait' as const,
        'wait' as const,
        'deaf' as const,
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: record({
      op: fc.constant('interrupt' as const),
      to: who,
      scope: fc.constantFrom('run' as const, 'run' as const, 'agent' as const, 'subtree' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      op: fc.constant('breathe' as const),
      turns: fc.integer({ min: 1, max: 30 }),
    }),
  },
);

/** A storm over some first actors. */
export const terminations: fc.Arbitrary<readonly Operation[]> = fc.array(termination, {
  minLength: 5,
  maxLength: 40,
});
