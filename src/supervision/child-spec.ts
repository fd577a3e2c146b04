// Owns how a child is started and watched: restart type, strategy, intensity, backoff, scope.
import type { RestartType } from '../actor/behavior.ts';

const strategies = ['one_for_one', 'one_for_all', 'rest_for_one'] as const;

/** Which siblings share a restart. */
export type Strategy = (typeof strategies)[number];

/** At most `maxRestarts` within `withinMs`; one more ends the child and escalates. */
export type Intensity = {
  /** Restarts that are let through. Default 3. */
  readonly maxRestarts: number;
  /** Milliseconds in which they are counted. Default 60,000. */
  readonly withinMs: number;
};

/** Doubling from `minMs` to `maxMs`, shortened by up to `jitter` of itself. */
export type Backoff = {
  /** Milliseconds before the first restart. Default 200. */
  readonly minMs: number;
  /** Milliseconds before a restart at most. Default 30,000. */
  readonly maxMs: number;
  /** From 0 to 1. Default 0.2. */
  readonly jitter: number;
};

/** When a child ends at the latest: with its parent's current run, or with its parent. */
export type ChildScope = 'run' | 'session';

export type ChildSpec = {
  readonly restart: RestartType;
  readonly backoff: Backoff;
  readonly intensity: Intensity;
  /** How this actor's own children are restarted. */
  readonly strategy: Strategy;
  readonly scope: ChildScope;
  /** An abnormal exit kills the parent too. */
  readonly isLinked: boolean;
  /** When an activation is lost, the actor becomes passive: only a stop or kill of the actor itself ends it. */
  readonly survivesCrash: boolean;
};

/** Never restarted unless asked: tasks and plain actors alike. */
export const defaultChildSpec: ChildSpec = {
  restart: 'temporary',
  backoff: { minMs: 200, maxMs: 30_000, jitter: 0.2 },
  intensity: { maxRestarts: 3, withinMs: 60_000 },
  strategy: 'one_for_one',
  scope: 'session',
  isLinked: false,
  survivesCrash: false,
};

const runScoped: ChildSpec = { ...defaultChildSpec, scope: 'run' };

/** With the defaults of what is left out; those that most children have are shared. */
export function childSpecOf(given: Partial<ChildSpec> | undefined): ChildSpec {
  if (given === undefined) return defaultChildSpec;
  const isScopeAlone = Object.keys(given).length === 1 && given.scope !== undefined;
  if (isScopeAlone) return given.scope === 'run' ? runScoped : defaultChildSpec;
  return { ...defaultChildSpec, ...given };
}
