// Owns the refusal of stubs for tools that do not exist. Replaces none.
import type { AgentDefinition } from '../../agent/definition.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { insteadOf } from '../../base/nearest-name.ts';
import type { ToolStubs } from '../../tools/stubs.ts';
import type { Settings } from './settings.ts';
import { modulesAmong, type ToolCatalog } from './tool-catalog.ts';

/**
 * Throws `unknown_tool` for a stub of a tool that neither the supervisor nor its agents have; not where there are modules,
 * of which is not known yet what they export.
 */
export function checkStubs(
  stubs: ToolStubs | undefined,
  catalog: ToolCatalog,
  agents: readonly (readonly [AgentDefinition, Settings])[],
): void {
  if (stubs === undefined) return;
  const references = [
    ...catalog.references(),
    ...agents.flatMap(([agent, settings]) => catalog.references(agent, settings)),
  ];
  if (modulesAmong(references).length > 0) return;
  const grouped = catalog.toolsets.flatMap(({ tools }) => tools);
  const known = [...references.flatMap((each) => catalog.of(each)), ...grouped];
  const names = [...new Set(known.map(({ name }) => name))];
  const unknown = stubs.names.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const hint = insteadOf(unknown, names);
  throw new TroupeError('unknown_tool', `stubs: there is no tool ${describe(unknown)}; ${hint}`);
}
