// Owns what a task's agent is made of: definition and task merged, tools granted, model and prompt chosen. Starts nothing.
import type { AgentDefinition, ModelRef, ToolReference } from '../../agent/definition.ts';
import type { Hooks } from '../../agent/hooks.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { toolSettings } from '../../agent/tool-settings.ts';
import type { Clock } from '../../base/clock.ts';
import type { CredentialPool } from '../../models/keys/credentials.ts';
import { type ModelRoute, modelId, refusedSettings } from '../../models/resolve.ts';
import { checkSettings } from '../../models/settings.ts';
import type { HookName } from '../../protocol/hooks.ts';
import type { Head } from '../../protocol/model-head.ts';
import type { ModelSettings } from '../../protocol/model-settings.ts';
import type { PriceSource } from '../../protocol/price-source.ts';
import type { ToolSettings } from '../../protocol/tool-settings.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';
import type { HostToolset } from '../../tools/host-toolset.ts';
import type { AnyTool, DelegationReach, InputSchema } from '../../tools/tool.ts';
import { describeTools } from '../../tools/tool-module.ts';
import type { Toolset } from '../../tools/toolset.ts';
import type { RunSettings } from '../task.ts';
import { assignedSkills, grantedSkillTool } from './assigned-skills.ts';
import { checkNames } from './definition-names.ts';
import { DescribedModules, type ModuleDescriptions } from './described-modules.ts';
import { hookModules, placeHooks } from './hook-placement.ts';
import { KnownAgents, refuseDelegate } from './known-agents.ts';
import {
  hostToolsOf,
  type KnownTool,
  knownToolsets,
  offeredAt,
  readsFiles,
} from './known-tools.ts';
import type { ModelPrices } from './model-prices.ts';
import { ModelRoutes } from './model-routes.ts';
import { neededModules, referencesOf } from './needed-modules.ts';
import { hasOverrides, isConfigured, settingsOf } from './overrides.ts';
import { promptSpec } from './prompt-parts.ts';
import { equipped, type ReachLimits, reachOf } from './reach.ts';
import { requiredOutputsOf } from './required-outputs.ts';
import { type Rights, rightsOf, rightsOfLoop } from './rights.ts';
import { type DefaultLimits, type RunLimits, runLimits } from './run-limits.ts';
import { checkWorkspace, workspaceOf } from './workspace-choice.ts';

/** Everything that is fixed about an agent before it starts. */
export type AgentSpec = {
  readonly name: string;
  /** Identifies the agent spec within one supervisor. */
  readonly key: string;
  /** What its activations are started with, besides what is each agent's own. */
  readonly shared: WorkerSpec;
  /** What its model is asked with. */
  readonly head: Head;
  /** The longest answer its model may give; undefined for the model's own limit. */
  readonly maxOutputTokens: number | undefined;
  readonly hostTools: ReadonlyMap<string, AnyTool>;
  /** What each of its runs can load; none when it may not. */
  readonly skills: readonly Skill[];
  /** Judges the answer; undefined when it is just text. */
  readonly outputSchema: InputSchema | undefined;
  /** Hooks that run on the host, by their position among the agent's hooks. */
  readonly hostHooks: ReadonlyMap<number, Hooks>;
  /** Those a granted tool is of; opened when it is called. */
  readonly hostToolsets: readonly HostToolset[];
  /** The time zone of the time its runs are given; undefined when they are given none (A11). */
  readonly timeZone: string | undefined;
  readonly model: ModelRoute;
  readonly modelId: string;
  /** What its model's tokens cost. */
  readonly price: PriceSource;
  /** What its calls are made with besides the conversation. */
  readonly settings: ModelSettings;
  /** Names of the agents it may delegate to; undefined for all. */
  readonly delegates: readonly string[] | undefined;
  readonly rights: Rights;
} & Pick<RunLimits, 'idleTimeoutMs' | 'totalTimeoutMs'>;

export type AgentResolverOptions = ModuleDescriptions & {
  readonly clock: Clock;
  readonly model: ModelRef;
  readonly agents: readonly AgentDefinition[];
  /** What agents can be assigned by name. */
  readonly skills: readonly Skill[];
  readonly tools: readonly (AnyTool | URL)[];
  /** Beside those that run in threads: `terminal`, `web`, and the program's own. */
  readonly toolsets: readonly HostToolset[];
  readonly toolSettings: ToolSettings;
  readonly defaults: DefaultLimits & { readonly workspace: string };
  /** What of them the program set: more than that no tool can ask for. */
  readonly ceilings?: Partial<DefaultLimits>;
  readonly credentials?: readonly CredentialPool[];
  readonly prices: ModelPrices;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: ReachLimits;
};

/** The position in the tree that an agent spec is resolved for. */
export type Place = {
  /** The agent that delegates; undefined for a root. */
  readonly parent: Pick<AgentSpec, 'rights' | 'model' | 'shared' | 'delegates'> | undefined;
  readonly depth: number;
  /** A tool of the program's own loop asks, not the program. */
  readonly isOfLoop?: boolean;
};

const rootPlace: Place = { parent: undefined, depth: 0 };
const noAgent: AgentDefinition = { name: 'agent' };

export class AgentResolver {
  readonly #options: AgentResolverOptions;
  readonly #toolsets: readonly Toolset<KnownTool>[];
  readonly #agents: KnownAgents;
  readonly #modules: DescribedModules<readonly KnownTool[]>;
  readonly #hookModules: DescribedModules<readonly HookName[]>;
  /** By the object: a tool that came with one task is forgotten with it. */
  readonly #hostTools = new WeakMap<AnyTool, KnownTool>();
  readonly #routes: ModelRoutes;
  readonly #skills: ReadonlyMap<string, Skill>;
  #lastKey = 0;
  /** Specs of tasks that override nothing, by definition: all tasks of a fan-out, and all persistent agents, share one. */
  readonly #specs = new WeakMap<AgentDefinition, AgentSpec>();

  /** Throws `invalid_agent`, `model_unknown`, `model_key_missing`, `model_price_missing`, `unknown_agent`, `unknown_tool`, `unknown_toolset`, `unknown_skill`. */
  constructor(options: AgentResolverOptions) {
    this.#options = options;
    this.#modules = new DescribedModules(async (url) => {
      const tools = await options.describeModule(url);
      return tools.map((tool) => ({ ...tool, where: 'thread' as const, module: url }));
    }, options.clock);
    this.#hookModules = new DescribedModules(options.describeHooks, options.clock);
    this.#routes = new ModelRoutes(options);
    for (const route of this.#routes.declared) options.prices.of(route);
    this.#toolsets = knownToolsets(options.toolsets);
    this.#skills = new Map(options.skills.map((skill) => [skill.name, skill]));
    this.#agents = new KnownAgents(options.agents);
    checkNames(options, this.#toolsets, this.#skills, (each) => this.#known(each));
  }

  /** Describes the modules that an agent spec needs and are not known yet; rejects `tool_module_failed`. */
  prepare(task: RunSettings): Promise<void> | null {
    const definition = this.#agents.of(task.agent);
    const { defaults } = this.#options;
    const settings = { task, definition, defaults, ceilings: null, isConfigured: false };
    const { idleTimeoutMs, totalTimeoutMs } = runLimits(settings);
    const timeoutMs = Math.min(idleTimeoutMs, totalTimeoutMs ?? idleTimeoutMs);
    const urls = neededModules(task, definition, {
      references: referencesOf(this.#options.tools, definition, task),
      toolsets: this.#toolsets,
      known: (reference) => this.#known(reference),
    });
    const tools = this.#modules.prepare(urls, timeoutMs);
    const hooks = this.#hookModules.prepare(hookModules(task, definition), timeoutMs);
    if (tools === null && hooks === null) return null;
    return Promise.all([tools, hooks]).then(() => {});
  }

  /** The spec of a prepared task. Throws `agent_denied`, `unknown_…`, `invalid_agent`, `invalid_tool`, `model_…`. */
  specOf(task: RunSettings, place: Place = rootPlace): AgentSpec {
    const definition = this.#agents.of(task.agent);
    checkWorkspace(definition);
    refuseDelegate(task.agent, place.parent?.delegates);
    const key = definition ?? noAgent;
    const isOfProgram = place.depth === 0 && !hasOverrides(task);
    const isPlain = isOfProgram && definition?.equip === undefined;
    const known = isPlain ? this.#specs.get(key) : undefined;
    if (known !== undefined) return known;
    const spec = this.#resolve(task, definition, place);
    if (isPlain) this.#specs.set(key, spec);
    return spec;
  }

  #resolve(
    task: RunSettings,
    known: AgentDefinition | null,
    { parent, depth, isOfLoop = false }: Place,
  ): AgentSpec {
    const { defaults, tools: ofSupervisor, ceilings = {} } = this.#options;
    const loaded = equipped(task, known, { ...this.#options, depth });
    const { definition, addition, reach } = loaded;
    const references = referencesOf(ofSupervisor, definition, task);
    const registered = references.flatMap((each) => this.#known(each));
    const rights = rightsOf({
      task,
      definition,
      registered,
      toolsets: this.#toolsets,
      toolsOf: (reference) => this.#known(reference),
      caller: parent?.rights ?? (isOfLoop ? this.#rightsOfLoop() : null),
      isAtDepthLimit: depth >= reach.maxSpawnDepth,
    });
    const granted = rights.tools.filter(({ name }) => !loaded.withheld.includes(name));
    const limits = runLimits({
      task,
      definition,
      defaults,
      ceilings: parent === undefined && !isOfLoop ? null : ceilings,
      isConfigured: isConfigured(task.agent),
    });
    const skills = assignedSkills(task, definition, this.#skills);
    const loading = grantedSkillTool(skills, rights.denied);
    const requiredOutputs = requiredOutputsOf(task, definition, granted, loading);
    const offered = [...granted.map((tool) => offeredAt(tool, reach)), ...requiredOutputs.tools];
    // Model settings that are not given are the parent's (C37, A40).
    const above = parent?.model ?? this.#routes.main;
    const choice = task.model ?? definition?.model;
    const route = choice === undefined ? above : this.#routes.of(choice, above);
    const called = route.route === 'host' ? route.model.id : modelId(route.spec);
    const settings = settingsOf(task, definition);
    checkSettings(called, settings, refusedSettings(route));
    const workspace = workspaceOf(task, definition, parent?.shared.workspace ?? defaults.workspace);
    const { maxTurns, maxOutputTokens, idleTimeoutMs, totalTimeoutMs } = limits;
    const name = definition?.name ?? 'agent';
    const prompt = promptSpec({
      task,
      definition,
      name,
      addition,
      workspace,
      usesFiles: granted.some(({ toolset }) => toolset !== undefined),
      skills,
      loadsSkills: loading !== null,
      requiredOutputs: requiredOutputs.shared,
    });
    const { system } = prompt;
    const hooks = placeHooks(task, definition, (url) => this.#hookModules.get(url) ?? []);
    this.#lastKey += 1;
    return {
      name,
      key: `p${this.#lastKey}`,
      shared: {
        tools: offered,
        toolModules: [
          ...new Set(granted.flatMap(({ module }) => (module === undefined ? [] : [module]))),
        ],
        toolsets: [
          ...new Set(
            granted.flatMap((tool) => (tool.where === 'thread' ? (tool.toolset ?? []) : [])),
          ),
        ],
        workspace,
        toolSettings: {
          keepResults: granted.some(readsFiles),
          ...toolSettings(task, definition, this.#options.toolSettings),
        },
        maxTurns,
        ...requiredOutputs.shared,
        ...prompt.shared,
        ...hooks.shared,
      },
      maxOutputTokens,
      head: {
        system,
        tools: offered.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema,
        })),
      },
      hostTools: hostToolsOf(granted),
      skills: loading === null ? [] : skills,
      hostHooks: hooks.onHost,
      outputSchema: requiredOutputs.outputSchema,
      hostToolsets: this.#options.toolsets.filter(({ name }) =>
        granted.some((tool) => tool.where === 'host' && tool.toolset === name),
      ),
      timeZone: prompt.timeZone,
      model: route,
      modelId: called,
      price: this.#options.prices.of(route),
      settings,
      idleTimeoutMs,
      totalTimeoutMs,
      delegates: definition?.delegates,
      rights,
    };
  }

  #rightsOfLoop(): ReturnType<typeof rightsOfLoop> {
    const registered = this.#options.tools.flatMap((each) => this.#known(each));
    return rightsOfLoop(registered, this.#toolsets);
  }

  /** Of a loop of the program. */
  get reachOfLoop(): DelegationReach {
    return reachOf({}, null, { ...this.#options, depth: 0 });
  }

  #known(reference: ToolReference): readonly KnownTool[] {
    if (typeof reference === 'string') return [];
    if (reference instanceof URL) return this.#modules.get(reference.href) ?? [];
    let known = this.#hostTools.get(reference);
    if (known === undefined) {
      const [described] = describeTools([reference]);
      if (described === undefined) return [];
      known = { ...described, where: 'host', object: reference };
      this.#hostTools.set(reference, known);
    }
    return [known];
  }
}
