// Owns how the module of an activation is loaded, and what it has to export. Agents are no module of their own.
import { objectBehavior } from '../src/actor/object-actor.ts';
import { toolModuleBehavior } from '../src/agent/tool-module-behavior.ts';
import { describe, TroupeError } from '../src/base/failures.ts';
import { messageAt, toFault } from '../src/base/stack.ts';
import type { ActivationTarget } from '../src/protocol/worker-messages.ts';

export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

export async function loadTarget(
  target: Exclude<ActivationTarget, { type: 'agent' }>,
  importModule: ImportModule,
): Promise<unknown> {
  if (target.type === 'tools') return toolModuleBehavior(importModule);
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await importModule(target.url);
  } catch (error) {
    const why = messageAt(toFault(error, 'module_failed'));
    throw new TroupeError('module_failed', `${target.url} could not be loaded: ${why}`);
  }
  if (target.type === 'object') {
    const exported = module[target.exportName ?? 'default'];
    if (typeof exported !== 'function') {
      throw new TroupeError(
        'module_failed',
        `${target.url} exports ${describe(exported)} as ${target.exportName ?? 'default'}, expected a class`,
      );
    }
    return objectBehavior(exported as new () => object);
  }
  const { default: exported } = module;
  const isBehavior =
    typeof exported === 'object' &&
    exported !== null &&
    'kind' in exported &&
    exported.kind === 'behavior';
  if (!isBehavior) {
    throw new TroupeError(
      'module_failed',
      `the default export of ${target.url} is ${describe(exported)}, expected behavior({…})`,
    );
  }
  return exported;
}
