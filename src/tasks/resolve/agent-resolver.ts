// Owns what a task's agent is made of: definition and task merged, tools granted, model and prompt chosen. Starts nothing.
import type { AgentDefinition, ModelRef } from '../../agent/definition.ts';
import { noPreamble, preambleOf } from '../../agent/prompt/preamble.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { describe, TroupeError, toFailure } from '../../base/failures.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { CredentialPool } from '../../models/keys/credentials.ts';
import { idOfRoute, type ModelRoute, refusedSettings } from '../../models/resolve.ts';
import { checkSettings } from '../../models/settings.ts';
import type { HookName } from '../../protocol/hooks.ts';
import type { ToolSchema } from '../../protocol/model-head.ts';
import { type TakenTools, toolsTakenBy } from '../../protocol/profile-rights.ts';
import type { ToolSettings } from '../../protocol/tool-settings.ts';
import type { GrantedTool, WorkerSpec } from '../../protocol/worker-spec.ts';
import type { ApprovalPolicy } from '../../tools/approval-policy.ts';
import type { DelegationReach } from '../../tools/tool.ts';
import { builtinToolsets, findToolsets } from '../../tools/toolsets.ts';
import type { RunSettings } from '../task.ts';
import { type AgentSpec, type Place, type PricedRoutes, rootPlace } from './agent-spec.ts';
import { ApprovalRules } from './approval-rules.ts';
import { assignedSkills, grantedSkillTool } from './assigned-skills.ts';
import { checkStubs } from './check-stubs.ts';
import { DescribedModules } from './described-modules.ts';
import { placeHooks } from './hook-placement.ts';
import { checkWorkspace, KnownAgents, refuseDelegate } from './known-agents.ts';
import { KnownProfiles, type ProfileOptions } from './known-profiles.ts';
import type { KnownTool } from './known-tool.ts';
import { type Pricing, priceOf, refuseUnpriced } from './model-prices.ts';
import { ModelRoutes, type Routes } from './model-routes.ts';
import { promptOf } from './prompt.ts';
import { type ReachLimits, reachOf } from './reach.ts';
import { requiredOutputsOf } from './required-outputs.ts';
import { rightsOf, rightsOfLoop } from './rights.ts';
import { type DefaultLimits, runLimits } from './run-limits.ts';
import { hasOverrides, type Settings, settingsOf } from './settings.ts';
import {
  type CatalogOptions,
  hostToolsOf,
  modulesAmong,
  offeredTools,
  readsFiles,
  ToolCatalog,
} from './tool-catalog.ts';

export type AgentResolverOptions = CatalogOptions & {
  readonly model: ModelRef;
  readonly agents: readonly AgentDefinition[];
  /** What agents can be assigned by name. */
  readonly skills: readonly Skill[];
  readonly approval: ApprovalPolicy;
  readonly toolSettings: ToolSettings;
  readonly defaults: DefaultLimits & { readonly workspace: string };
  /** What of them the program set: more than that no tool can ask for. */
  readonly ceilings: Partial<DefaultLimits>;
  readonly credentials: readonly CredentialPool[];
  readonly pricing: Pricing;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: ReachLimits;
  readonly profiles: ProfileOptions;
  /** What runs commit is written down. */
  readonly isDurable: boolean;
};

export class AgentResolver {
  readonly #options: AgentResolverOptions;
  readonly #agents: KnownAgents;
  readonly #profiles: KnownProfiles;
  readonly #catalog: ToolCatalog;
  readonly approvals: ApprovalRules;
  readonly #hookModules: DescribedModules<readonly HookName[]>;
  readonly #routes: ModelRoutes;
  readonly #skills: ReadonlyMap<string, Skill>;
  #lastKey = 0;
  /** Specs of tasks that override nothing, by definition: all tasks of a fan-out, and all persistent agents, share one. */
  readonly #specs = new WeakMap<AgentDefinition, AgentSpec>();
  readonly #plainSettings = new WeakMap<AgentDefinition, Settings>();

  /** Throws `invalid_agent`, `model_unknown`, `model_key_missing`, `model_price_missing`, `unknown_agent`, `unknown_tool`, `unknown_toolset`, `unknown_skill`. */
  constructor(options: AgentResolverOptions) {
    this.#options = options;
    const { modules, clock } = options;
    this.#catalog = new ToolCatalog(options);
    this.#hookModules = new DescribedModules(
      (url, profile) => modules.describeHooks(url, profile),
      clock,
    );
    this.#routes = new ModelRoutes(options);
    for (const route of this.#routes.declared) {
      const source = priceOf(route, options.pricing);
      if (options.pricing.isLimited) refuseUnpriced(route, source, options.pricing);
    }
    this.#profiles = new KnownProfiles(options.profiles);
    this.#skills = new Map(options.skills.map((skill) => [skill.name, skill]));
    this.#agents = new KnownAgents(options.agents);
    this.approvals = new ApprovalRules(this.#catalog, options);
    for (const agent of options.agents) this.#checkNames(agent);
    const stubbable = options.agents.map((agent) => [agent, this.#settingsOf({}, agent)] as const);
    checkStubs(options.stubs, this.#catalog, stubbable);
  }

  /** Describes the modules that an agent spec needs and are not known yet; rejects `tool_module_failed`. */
  prepare(task: RunSettings, place: Place = rootPlace): Promise<void> | null {
    const definition = this.#agents.of(task.agent);
    const settings = this.#settingsOf(task, definition);
    const limits = runLimits(task, definition, this.#options.defaults, null);
    const timeoutMs = Math.min(limits.idleTimeoutMs, limits.totalTimeoutMs ?? Infinity);
    const how = { timeoutMs, profile: this.#profiles.of(settings.profile, place.profile) };
    const tools = this.#catalog.prepare(definition, settings, how);
    const hooks = this.#hookModules.prepare(modulesAmong(settings.hooks), how);
    if (tools === null && hooks === null) return null;
    return Promise.all([tools, hooks]).then(() => {});
  }

  /** Of a task that sets nothing itself they are made once. */
  #settingsOf(task: RunSettings, definition: AgentDefinition): Settings {
    if (hasOverrides(task)) return settingsOf(task, definition);
    const settings = this.#plainSettings.get(definition) ?? settingsOf({}, definition);
    this.#plainSettings.set(definition, settings);
    return settings;
  }

  /** The spec of a prepared task. Throws `agent_denied`, `unknown_…`, `invalid_agent`, `invalid_tool`, `model_…`. */
  specOf(task: RunSettings, place: Place = rootPlace): AgentSpec {
    const definition = this.#agents.of(task.agent);
    checkWorkspace(definition);
    refuseDelegate(task.agent, place.parent?.delegates);
    const isRoot = place.depth === 0 && place.profile === undefined;
    const isPlain = isRoot && !hasOverrides(task) && definition.equip === undefined;
    const known = isPlain ? this.#specs.get(definition) : undefined;
    const spec = known ?? this.#resolve(task, definition, place);
    if (isPlain) this.#specs.set(definition, spec);
    const { pricing } = this.#options;
    const isCostLimited = spec.budget.maxCostUsd !== undefined || place.isCostLimited === true;
    if (isCostLimited || pricing.isLimited) {
      for (const { route, price } of spec.models) refuseUnpriced(route, price, pricing);
    }
    return spec;
  }

  /** Of a loop of the program. */
  get reachOfLoop(): DelegationReach {
    return reachOf({}, { ...this.#options, depth: 0 });
  }

  #resolve(
    task: RunSettings,
    definition: AgentDefinition,
    { parent, depth, profile: above, isOfLoop = false }: Place,
  ): AgentSpec {
    const { defaults, ceilings, toolsets } = this.#options;
    const catalog = this.#catalog;
    const merged = this.#settingsOf(task, definition);
    const reach = reachOf(merged, { ...this.#options, depth });
    const { ownTools = [], prompt: addition, withheldTools = [] } = merged.equip?.(reach) ?? {};
    const settings = { ...merged, ownTools: [...(merged.ownTools ?? []), ...ownTools] };
    const caller = parent?.rights ?? (isOfLoop ? rightsOfLoop(catalog) : null);
    const isAtDepthLimit = depth >= reach.maxSpawnDepth;
    const workspace = settings.workspace ?? parent?.shared.workspace ?? defaults.workspace;
    const profile = this.#profiles.of(settings.profile, above);
    const taken = toolsTakenBy(profile, workspace);
    const rights = rightsOf({ task, definition, settings, catalog, caller, isAtDepthLimit, taken });
    const granted = rights.tools.filter(({ name }) => !withheldTools.includes(name));
    const { maxTurns, ...limits } = runLimits(
      task,
      definition,
      defaults,
      caller === null ? null : ceilings,
    );
    const skills = assignedSkills(settings.skills, this.#skills);
    const loading = grantedSkillTool(skills, rights.denied);
    const schemaFault = task.outputSchema === undefined ? 'invalid_agent' : 'invalid_task';
    const required = requiredOutputsOf(settings, granted, loading, schemaFault);
    const approvals = this.approvals.of(task, definition, { granted, loading, settings, parent });
    const offered = offeredTools(granted, { reach, commands: rights.commands, ...approvals });
    const tools = [...offered, ...required.tools];
    const model = this.#modelsOf(settings, parent?.models);
    const opened = new Set(granted.map(({ toolset }) => toolset));
    const system = promptOf(settings, {
      addition,
      workspace,
      usesFiles: granted.some(({ toolset }) => toolset !== undefined),
      skills,
      loadsSkills: loading !== null,
      ...required.shared,
    });
    const hooks = placeHooks(settings.hooks, (url) => this.#hookModules.get(url) ?? []);
    this.#lastKey += 1;
    return {
      name: definition.name,
      key: `p${this.#lastKey}`,
      shared: {
        tools,
        toolModules: [...new Set(granted.flatMap(({ module }) => module ?? []))],
        toolsets: builtinToolsets.map(({ name }) => name).filter((name) => opened.has(name)),
        workspace,
        toolSettings: this.#toolSettingsOf(settings, granted, taken),
        maxTurns,
        ...required.shared,
        ...openingOf(settings),
        ...omitUndefined({ memory: settings.memory }),
        ...(this.#options.isDurable ? { isDurable: true as const } : {}),
        ...(hooks.planned.length === 0 ? {} : { hooks: hooks.planned }),
      },
      head: { system, tools: tools.map(asSeen) },
      hostTools: hostToolsOf(granted),
      skills: loading === null ? [] : skills,
      hostHooks: hooks.onHost,
      outputSchema: settings.outputSchema,
      hostToolsets: toolsets.filter(({ name }) => opened.has(name)),
      timeZone: settings.promptParts.timeZone,
      budget: settings.budget,
      delegates: settings.delegates,
      rights,
      profile,
      ...approvals,
      ...limits,
      ...model,
    };
  }

  #modelsOf(
    { model: choice, temperature, topP, effort, toolChoice }: Settings,
    above?: PricedRoutes,
  ): Pick<AgentSpec, 'models' | 'modelId' | 'settings'> {
    // Model settings that are not given are the parent's (C37, A40).
    const models =
      choice === undefined
        ? (above ?? this.#priced(this.#routes.main))
        : this.#priced(this.#routes.of(choice, above?.[0].route ?? this.#routes.main[0]));
    const settings = omitUndefined({ temperature, topP, effort, toolChoice });
    for (const { route } of models)
      checkSettings(idOfRoute(route), settings, refusedSettings(route));
    return { models, modelId: idOfRoute(models[0].route), settings };
  }

  #priced([first, ...others]: Routes): PricedRoutes {
    const { pricing } = this.#options;
    const priced = (route: ModelRoute) => ({ route, price: priceOf(route, pricing) });
    return [priced(first), ...others.map(priced)];
  }

  /** The settings of its task, then of its agent, then of the supervisor. */
  #toolSettingsOf(
    { maxResultChars, keepResults, repetitionNotice }: Settings,
    granted: readonly KnownTool[],
    taken: readonly TakenTools[],
  ): ToolSettings {
    return {
      keepResults: granted.some(readsFiles),
      ...omitUndefined(this.#options.toolSettings),
      ...omitUndefined({ maxResultChars, keepResults, repetitionNotice }),
      // They are kept in the workspace.
      ...(taken.some(({ pattern }) => pattern === 'tag:write') ? { keepResults: false } : {}),
    };
  }

  /** Of an agent of the supervisor. What a module brings, or `equip`, is known with the first task. */
  #checkNames(agent: AgentDefinition): void {
    const catalog = this.#catalog;
    const settings = this.#settingsOf({}, agent);
    try {
      findToolsets(settings.toolsets, catalog.toolsets);
      assignedSkills(settings.skills, this.#skills);
      this.approvals.check([agent.approval], agent, { settings, parent: undefined });
      const hasModules = modulesAmong(catalog.references(agent, settings)).length > 0;
      if (agent.equip !== undefined || hasModules) return;
      const workspace = settings.workspace ?? this.#options.defaults.workspace;
      const taken = toolsTakenBy(this.#profiles.of(settings.profile, undefined), workspace);
      const around = { task: {}, caller: null, isAtDepthLimit: false, taken };
      rightsOf({ ...around, definition: agent, settings, catalog });
    } catch (thrown) {
      const { code, message } = toFailure(thrown, 'invalid_agent');
      throw new TroupeError(code, `agent ${describe(agent.name)}: ${message}`, { cause: thrown });
    }
  }
}

function openingOf({ promptParts, initialMessages }: Settings): Pick<WorkerSpec, 'opening'> {
  const { environment } = promptParts;
  const opening = preambleOf({ environment, examples: initialMessages });
  return opening === noPreamble ? {} : { opening };
}

/** As its model sees it. */
function asSeen({ name, description, inputSchema }: GrantedTool): ToolSchema {
  return { name, description, inputSchema };
}
