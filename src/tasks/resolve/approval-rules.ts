// Owns which tools of an agent need a person's approval by the patterns that hold for it, and the check of those patterns
// against the tools there are. Pure.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { skillTool } from '../../agent/skill-tool.ts';
import {
  type ApprovalPolicy,
  type ApprovalRequirement,
  checkRequiredNames,
  combineRequirements,
  requirementsNaming,
  requirementsOf,
} from '../../tools/approval-policy.ts';
import type { Grantable } from '../../tools/grants.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { RunSettings } from '../task.ts';
import type { KnownTool } from './known-tool.ts';
import type { Settings } from './settings.ts';
import { modulesAmong, type ToolCatalog } from './tool-catalog.ts';

/** The requirements that name each tool, by its name; a tool that none names is not there. */
export type RequiredApprovals = ReadonlyMap<string, readonly ApprovalRequirement[]>;

export type ApprovalRulesOptions = {
  readonly approval: ApprovalPolicy;
  readonly agents: readonly AgentDefinition[];
  readonly skills: readonly Skill[];
};

type Named = Pick<Grantable, 'name' | 'tags'>;

/** What an agent's requirements are made of, beside its own. */
type Around = {
  readonly settings: Settings;
  /** Of the agent that delegates. */
  readonly parent:
    | {
        readonly rights: { readonly tools: readonly KnownTool[] };
        readonly requirements: readonly ApprovalRequirement[];
      }
    | undefined;
};

export class ApprovalRules {
  /** What the supervisor requires of every agent, and of the tools of its sessions. */
  readonly ofSupervisor: readonly ApprovalRequirement[];
  /** What the supervisor's patterns name and nothing has so far. */
  readonly warnings: readonly string[];
  readonly #catalog: ToolCatalog;
  readonly #agents: readonly AgentDefinition[];
  /** The tool that loads skills, where there are some: no catalog has it. */
  readonly #ofSkills: readonly Grantable[];

  /** Throws `unknown_tool` for a name that is nearly one of a tool. */
  constructor(catalog: ToolCatalog, { approval, agents, skills }: ApprovalRulesOptions) {
    this.#catalog = catalog;
    this.#agents = agents;
    const loading = skillTool(skills);
    this.#ofSkills = loading === null ? [] : [loading];
    this.ofSupervisor = requirementsOf('supervisor', approval);
    const references = this.#references();
    const tools = [...references.flatMap((each) => catalog.of(each)), ...this.#ofSkills];
    // Tasks and sessions may bring tools of that name.
    const unknown = checkRequiredNames(approval, {
      tools,
      toolsets: catalog.toolsets,
      isOpen: true,
    });
    // Modules have not said yet what they export: it may be a tool of theirs.
    const reported = modulesAmong(references).length === 0 ? unknown : [];
    this.warnings = reported.map(
      (name) =>
        `approval.require names "${name}", which is no tool of the supervisor: it holds for tools of that name that tasks and sessions bring`,
    );
  }

  /** Throws `unknown_tool` for a name in what an agent and its task require that no tool has, where all tools are known. */
  check(
    policies: readonly (ApprovalPolicy | undefined)[],
    definition: AgentDefinition,
    { settings, parent }: Around,
  ): void {
    const given = policies.filter((policy) => policy?.require !== undefined);
    if (given.length === 0) return;
    const references = [...this.#references(), ...this.#catalog.references(definition, settings)];
    const described = references.map((each) => this.#catalog.of(each));
    // A module that is not loaded has any tools; so has an agent that is equipped where it runs.
    const isOpen =
      described.some((tools) => tools.length === 0) ||
      this.#agents.some(({ equip }) => equip !== undefined);
    const tools = [...described.flat(), ...(parent?.rights.tools ?? []), ...this.#ofSkills];
    const { toolsets } = this.#catalog;
    for (const policy of given) checkRequiredNames(policy ?? {}, { tools, toolsets, isOpen });
  }

  /** What holds for an agent, and which of its tools that names. Throws as `check` does. */
  of(
    task: RunSettings,
    definition: AgentDefinition,
    {
      granted,
      loading,
      ...around
    }: Around & {
      readonly granted: readonly KnownTool[];
      /** The tool that loads its skills; null for an agent without some. */
      readonly loading: AnyTool | null;
    },
  ): {
    readonly requirements: readonly ApprovalRequirement[];
    readonly requiredApprovals: RequiredApprovals;
  } {
    this.check([definition.approval, task.approval], definition, around);
    const above = around.parent?.requirements ?? this.ofSupervisor;
    const requirements = combineRequirements(above, definition.approval, task.approval);
    const tools = loading === null ? granted : [...granted, loading];
    return { requirements, requiredApprovals: requiredOf(tools, requirements) };
  }

  #references(): readonly KnownReference[] {
    const ofAgents = this.#agents.flatMap(({ tools = [], ownTools = [] }) => [
      ...tools.filter((each) => typeof each !== 'string'),
      ...ownTools,
    ]);
    return [...this.#catalog.references(), ...ofAgents];
  }
}

type KnownReference = ReturnType<ToolCatalog['references']>[number];

function requiredOf(
  tools: readonly Named[],
  requirements: readonly ApprovalRequirement[],
): RequiredApprovals {
  const required = new Map<string, readonly ApprovalRequirement[]>();
  if (requirements.length === 0) return required;
  for (const tool of tools) {
    const naming = requirementsNaming(tool, requirements);
    if (naming.length > 0) required.set(tool.name, naming);
  }
  return required;
}
