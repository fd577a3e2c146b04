// Owns which calls need a person's approval by the patterns of supervisors, agents and tasks, and how those levels combine.
// Pure. Leaves out what a tool itself declares (`needsApproval`), and the asking.
import { z } from 'zod';
import { describe, TroupeError } from '../base/failures.ts';
import { nearestName } from '../base/nearest-name.ts';
import type { Grantable } from './grants.ts';
import { capabilityTags } from './tags.ts';
import { isPlainName, isToolPattern, matcherOf, patternHint, tagOf } from './tool-patterns.ts';
import type { Toolset } from './toolset.ts';

/** Which tools run only after a person approved the call, beside those that ask by themselves. */
export type ApprovalPolicy = {
  /**
   * Names of tools, `tag:…` for every tool with that tag, and names with `*` for any characters: `['tag:process', 'write',
   * 'mcp__*']`. Built-in tools, tools of MCP servers, of modules and of the service alike; not those by which a run answers.
   */
  readonly require?: readonly string[];
};

/** A pattern, and which level required it. */
export type ApprovalRequirement = {
  readonly by: 'supervisor' | 'agent' | 'task';
  readonly pattern: string;
};

/** Why a person is asked: the tool declares it, or a pattern of a supervisor, an agent or a task names the tool. */
export type ApprovalReason = { readonly by: 'tool' } | ApprovalRequirement;

const patternsHint = 'expected a list of patterns, such as ["tag:process", "write", "mcp__*"]';

export const approvalSchema = z.strictObject(
  { require: z.array(z.string().refine(isToolPattern, patternHint), patternsHint).optional() },
  {
    error: ({ code }) =>
      code === 'invalid_type'
        ? 'expected { require: ["tag:process", "write", "mcp__*"] }'
        : undefined,
  },
);

export function requirementsOf(
  by: ApprovalRequirement['by'],
  policy: ApprovalPolicy | undefined,
): readonly ApprovalRequirement[] {
  return (policy?.require ?? []).map((pattern) => ({ by, pattern }));
}

/**
 * What holds for an agent: all that holds for the agent above it, or on the supervisor, then what its definition and its task
 * add. No level takes anything away.
 */
export function combineRequirements(
  above: readonly ApprovalRequirement[],
  agent: ApprovalPolicy | undefined,
  task: ApprovalPolicy | undefined,
): readonly ApprovalRequirement[] {
  const own = [...requirementsOf('agent', agent), ...requirementsOf('task', task)];
  const isKnown = (of: readonly ApprovalRequirement[], { by, pattern }: ApprovalRequirement) =>
    of.some((each) => each.by === by && each.pattern === pattern);
  const added = own.filter((each, at) => !isKnown(above, each) && !isKnown(own.slice(0, at), each));
  return added.length === 0 ? above : [...above, ...added];
}

/** The requirements that name a tool, in their order; none for a tool that runs without approval. */
export function requirementsNaming(
  tool: Pick<Grantable, 'name' | 'tags'>,
  requirements: readonly ApprovalRequirement[],
): readonly ApprovalRequirement[] {
  return requirements.filter(({ pattern }) => matcherOf([pattern])(tool));
}

/** The tools there are, as far as they are known. */
export type KnownTools = {
  readonly tools: readonly Grantable[];
  readonly toolsets: readonly Toolset<Grantable>[];
  /** Others may come: of a module that is not loaded, with a task, in a session. */
  readonly isOpen: boolean;
};

/**
 * Throws `unknown_tool` for a name that no tool has, and for a tag that is nearly one of a tool's. Where further tools may
 * come, only for a name that is nearly that of a known tool; others are returned.
 */
export function checkRequiredNames(
  { require = [] }: ApprovalPolicy,
  { tools, toolsets, isOpen }: KnownTools,
): readonly string[] {
  const all = [...tools, ...toolsets.flatMap((toolset) => toolset.tools)];
  checkTags(require, all);
  const known = all.map(({ name }) => name);
  const unknown = require.filter((pattern) => isPlainName(pattern) && !known.includes(pattern));
  for (const name of unknown) {
    const meant = meaningOf(name, known, toolsets);
    if (isOpen && meant === null) continue;
    const listed = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
    throw new TroupeError(
      'unknown_tool',
      `approval.require names ${describe(name)}, which is no tool here; ${meant ?? listed}`,
      { detail: { field: 'approval.require', seen: name } },
    );
  }
  return unknown;
}

/** Tools with any tag may come later: one that is spelled wrong would require nothing, and say so nowhere. */
function checkTags(require: readonly string[], tools: readonly Grantable[]): void {
  const known = [...tools.flatMap(({ tags }) => tags), ...Object.values(capabilityTags)];
  for (const pattern of require) {
    const tag = tagOf(pattern);
    const near = tag === null || known.includes(tag) ? null : nearestName(tag, known);
    if (near === null) continue;
    throw new TroupeError(
      'unknown_tool',
      `approval.require names ${describe(pattern)}, and no tool has this tag; did you mean ${JSON.stringify(`tag:${near}`)}?`,
      { detail: { field: 'approval.require', seen: pattern } },
    );
  }
}

function meaningOf(
  name: string,
  known: readonly string[],
  toolsets: readonly Toolset<Grantable>[],
): string | null {
  const toolset = toolsets.find((each) => each.name === name);
  if (toolset !== undefined) {
    const names = toolset.tools.map((tool) => JSON.stringify(tool.name)).join(', ');
    return `${JSON.stringify(name)} is a toolset, its tools are ${names}`;
  }
  const near = nearestName(name, known);
  return near === null ? null : `did you mean ${JSON.stringify(near)}?`;
}
