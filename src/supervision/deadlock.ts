// Owns the decision over actors that wait on each other while every thread is in use: which request is refused (V7).

export type SlotWaits = {
  /** The actors that use a thread. */
  readonly users: readonly string[];
  /** The actors that wait for one, oldest request first. */
  readonly queued: readonly string[];
  /** The actors that an actor waits for in its receive: those it asked, and children that it is starting. */
  readonly waitsOf: (actor: string) => readonly string[];
};

/**
 * The newest queued actor that a user of a thread waits for, when no user can ever go on; null as long as one may.
 * An actor that waits for several goes on with the first of them, so one that may go on is enough.
 */
export function newestDeadlocked({ users, queued, waitsOf }: SlotWaits): string | null {
  const waits = reachable(users, waitsOf);
  const isQueued = new Set(queued);
  const stuck = new Set(waits.keys());
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const [actor, targets] of waits) {
      // A queued actor starts once a user gives its thread up: it is stuck as long as all users are.
      if (!stuck.has(actor) || isQueued.has(actor)) continue;
      const mayGoOn = targets.length === 0 || targets.some((target) => !stuck.has(target));
      if (!mayGoOn) continue;
      stuck.delete(actor);
      isStable = false;
    }
  }
  if (!users.every((user) => stuck.has(user))) return null;
  return queued.findLast((actor) => waits.has(actor)) ?? null;
}

/** All actors that a user of a thread waits for, directly or over others, each with the actors it waits for. */
function reachable(
  from: readonly string[],
  waitsOf: (actor: string) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const front = [...from];
  for (let actor = front.pop(); actor !== undefined; actor = front.pop()) {
    if (found.has(actor)) continue;
    const targets = waitsOf(actor);
    found.set(actor, targets);
    front.push(...targets);
  }
  return found;
}
