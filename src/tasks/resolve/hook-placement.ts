// Owns the hooks of an agent spec: those of its definition, then those of its task, each where it runs. Pure.
import type { AgentDefinition, RunOptions } from '../../agent/definition.ts';
import { type HookReference, type Hooks, namesOf } from '../../agent/hooks.ts';
import type { HookName, PlannedHooks } from '../../protocol/hooks.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';

export type HookPlacement = {
  readonly shared: Pick<WorkerSpec, 'hooks'>;
  /** Hooks of the service, by their position in the agent spec. */
  readonly onHost: ReadonlyMap<number, Hooks>;
};

const noHookPlacement: HookPlacement = { shared: {}, onHost: new Map() };

/** The modules that hooks are in, before they are known. */
export function hookModules(
  task: Pick<RunOptions, 'hooks'>,
  definition: AgentDefinition | null,
): readonly string[] {
  return references(task, definition).flatMap((each) => (each instanceof URL ? [each.href] : []));
}

/** References without any hook are left out: what does not exist is never called. */
export function placeHooks(
  task: Pick<RunOptions, 'hooks'>,
  definition: AgentDefinition | null,
  namesIn: (module: string) => readonly HookName[],
): HookPlacement {
  const planned: PlannedHooks[] = [];
  const onHost = new Map<number, Hooks>();
  for (const each of references(task, definition)) {
    const isModule = each instanceof URL;
    const names = isModule ? namesIn(each.href) : namesOf(each);
    if (names.length === 0) continue;
    if (!isModule) onHost.set(planned.length, each);
    planned.push(isModule ? { names, module: each.href } : { names });
  }
  return planned.length === 0 ? noHookPlacement : { shared: { hooks: planned }, onHost };
}

function references(
  task: Pick<RunOptions, 'hooks'>,
  definition: AgentDefinition | null,
): readonly HookReference[] {
  // One reference or several: both flatten to several.
  return [definition?.hooks ?? [], task.hooks ?? []].flat();
}
