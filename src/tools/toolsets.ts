// Owns the named groups of tools that come with Troupe, and finding them by name. Decides nothing about who may use them.

import { describe, TroupeError } from '../base/failures.ts';
import { fileToolset } from './builtin/file.ts';
import { todoToolset } from './builtin/todo.ts';
import type { AnyTool } from './tool.ts';
import { toolsetHint } from './tool-names.ts';
import type { Toolset } from './toolset.ts';

/** The toolsets that come with Troupe; an agent gets one only by naming it. */
export const builtinToolsets: readonly Toolset[] = [fileToolset, todoToolset];

/**
 * The toolsets of these names, each once, in the order of `known`: asking in another order changes no prompt.
 * Throws `unknown_toolset`, naming the one that is not there and those that are.
 */
export function findToolsets<T extends { readonly name: string } = AnyTool>(
  names: readonly string[],
  known: readonly Toolset<T>[],
  tools: readonly { readonly name: string }[] = [],
): readonly Toolset<T>[] {
  const asked = new Set(names);
  for (const name of asked) {
    if (known.some((toolset) => toolset.name === name)) continue;
    throw new TroupeError(
      'unknown_toolset',
      `there is no toolset ${describe(name)}; ${toolsetHint(name, known, tools)}`,
    );
  }
  return known.filter((toolset) => asked.has(toolset.name));
}
