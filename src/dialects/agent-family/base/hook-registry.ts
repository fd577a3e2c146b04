// Owns hooks by name: registered, replaced, removed, cleared, for one agent or for a class and what extends it (D6).
import { describe, TroupeError } from '../../../base/failures.ts';
import { type AgentHook, type Hooked, type HookPoint, hookPoints } from './hook-types.ts';

type AnyHook = (...args: never[]) => unknown;

/** Hooks in the order of their registration; a name is used once per point, the later hook takes its place. */
export class HookRegistry<Agent> {
  readonly #hooks = new Map<HookPoint, Map<string, AnyHook>>();

  /** Throws `invalid_options` for a point there is not, a blank name, and what is no function. */
  register<Point extends HookPoint>(
    point: Point,
    name: string,
    hook: AgentHook<Point, Agent>,
  ): void {
    checkPoint(point);
    if (typeof name !== 'string' || name.trim() === '') {
      throw new TroupeError('invalid_options', `a hook of ${point} is named ${describe(name)}`);
    }
    if (typeof hook !== 'function') {
      throw new TroupeError('invalid_options', `hook ${name} of ${point} is ${describe(hook)}`);
    }
    const named = this.#hooks.get(point) ?? new Map<string, AnyHook>();
    this.#hooks.set(point, named.set(name, hook));
  }

  /** Throws `invalid_options` when there is none of this name. */
  remove(point: HookPoint, name: string): void {
    checkPoint(point);
    if (this.#hooks.get(point)?.delete(name) === true) return;
    throw new TroupeError('invalid_options', `${point} has no hook ${describe(name)}`);
  }

  /** Of one point, or of all. */
  clear(point?: HookPoint): void {
    if (point !== undefined) checkPoint(point);
    for (const each of point === undefined ? hookPoints : [point]) this.#hooks.delete(each);
  }

  of<Point extends HookPoint>(point: Point): readonly AgentHook<Point, Agent>[] {
    // Only `register` puts hooks there, by the point they are of.
    return [...(this.#hooks.get(point)?.values() ?? [])] as unknown as AgentHook<Point, Agent>[];
  }

  has(what: Hooked): boolean {
    return this.of(`pre_${what}`).length > 0 || this.of(`post_${what}`).length > 0;
  }
}

/** Registries belong to classes, which are the program's own; one that is forgotten takes its hooks along. */
const ofClasses = new WeakMap<object, HookRegistry<never>>();

/** The hooks that were registered on this very class. */
export function classHooks(constructor_: object): HookRegistry<never> {
  const known = ofClasses.get(constructor_);
  if (known !== undefined) return known;
  const registry = new HookRegistry<never>();
  ofClasses.set(constructor_, registry);
  return registry;
}

/** The registries that an instance obeys beside its own: of the classes it extends first, then of its own. */
export function inheritedHooks(constructor_: object): readonly HookRegistry<never>[] {
  const registries: HookRegistry<never>[] = [];
  for (
    let level: unknown = constructor_;
    typeof level === 'function' && level !== Function.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    const registry = ofClasses.get(level);
    if (registry !== undefined) registries.unshift(registry);
  }
  return registries;
}

function checkPoint(point: unknown): void {
  if (hookPoints.some((known) => known === point)) return;
  const there = hookPoints.join(', ');
  throw new TroupeError(
    'invalid_options',
    `there is no hook point ${describe(point)}; there is: ${there}`,
  );
}
