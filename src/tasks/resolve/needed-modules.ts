// Owns which tool modules a task cannot do without, so that a bad one fails no other task. Pure.
import type { AgentDefinition, ToolReference } from '../../agent/definition.ts';
import { isTool } from '../../tools/define-tool.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Toolset } from '../../tools/toolset.ts';
import type { RunSettings } from '../task.ts';
import type { KnownTool } from './known-tools.ts';

type Known = {
  /** Every tool and module that a name of the task may mean. */
  readonly references: readonly (AnyTool | URL)[];
  readonly toolsets: readonly Toolset<KnownTool>[];
  /** The tools of one; none of a module that is not described yet. */
  readonly known: (reference: AnyTool | URL) => readonly KnownTool[];
};

/** The modules it names itself; all there are when it asks for every tool, or for a name that is none of the known. */
export function neededModules(
  task: RunSettings,
  definition: AgentDefinition | null,
  { references, toolsets, known }: Known,
): readonly string[] {
  const all = hrefsOf(references.filter((each) => known(each).length === 0));
  const declared = task.tools ?? definition?.tools;
  if (all.length === 0 || declared === undefined) return all;
  const opened = [...(definition?.toolsets ?? []), ...(task.toolsets ?? [])];
  const names = new Set(
    [
      ...references.flatMap(known),
      ...toolsets.flatMap(({ name, tools }) => (opened.includes(name) ? tools : [])),
    ].map(({ name }) => name),
  );
  const wanted = declared.filter((each) => typeof each === 'string');
  const granted = definition?.grantedTools ?? [];
  return [...wanted, ...granted].every((name) => names.has(name)) ? hrefsOf(declared) : all;
}

/** The supervisor's tools, then those that the definition and the task bring themselves. */
export function referencesOf(
  registered: readonly (AnyTool | URL)[],
  definition: AgentDefinition | null,
  task: RunSettings,
): readonly (AnyTool | URL)[] {
  const named = [...(definition?.tools ?? []), ...(task.tools ?? [])].filter(isObjectReference);
  const hrefs = new Set<string>();
  return [...new Set([...registered, ...named, ...(definition?.ownTools ?? [])])].filter((each) => {
    if (!(each instanceof URL)) return true;
    const isNew = !hrefs.has(each.href);
    hrefs.add(each.href);
    return isNew;
  });
}

function isObjectReference(reference: ToolReference): reference is AnyTool | URL {
  return reference instanceof URL || isTool(reference);
}

function hrefsOf(references: readonly ToolReference[]): readonly string[] {
  return references.flatMap((each) => (each instanceof URL ? [each.href] : []));
}
