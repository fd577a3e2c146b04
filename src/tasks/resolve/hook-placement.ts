// Owns where the hooks of an agent spec run. Pure.
import { type HookReference, type Hooks, namesOf } from '../../agent/hooks.ts';
import type { HookName, PlannedHooks } from '../../protocol/hooks.ts';

export type HookPlacement = {
  readonly planned: readonly PlannedHooks[];
  /** Hooks of the service, by their position among the planned. */
  readonly onHost: ReadonlyMap<number, Hooks>;
};

/** References without any hook are left out: what does not exist is never called. */
export function placeHooks(
  references: readonly HookReference[],
  namesIn: (module: string) => readonly HookName[],
): HookPlacement {
  const planned: PlannedHooks[] = [];
  const onHost = new Map<number, Hooks>();
  for (const each of references) {
    const isModule = each instanceof URL;
    const names = isModule ? namesIn(each.href) : namesOf(each);
    if (names.length === 0) continue;
    if (!isModule) onHost.set(planned.length, each);
    planned.push(isModule ? { names, module: each.href } : { names });
  }
  return { planned, onHost };
}
