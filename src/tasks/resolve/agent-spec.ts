// Owns what an agent is before it starts: everything that is fixed about it, and where in a tree it is resolved for.
import type { Hooks } from '../../agent/hooks.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import type { Budget } from '../../protocol/budget.ts';
import type { Head } from '../../protocol/model-head.ts';
import type { ModelSettings } from '../../protocol/model-settings.ts';
import type { PriceSource } from '../../protocol/price-source.ts';
import type { WorkerProfile } from '../../protocol/worker-profile.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';
import type { ApprovalRequirement } from '../../tools/approval-policy.ts';
import type { HostToolset } from '../../tools/host-toolset.ts';
import type { AnyTool, InputSchema } from '../../tools/tool.ts';
import type { RequiredApprovals } from './approval-rules.ts';
import type { Rights } from './rights.ts';
import type { RunLimits } from './run-limits.ts';

/** Where a model runs, and what its tokens cost. */
export type PricedRoute = { readonly route: ModelRoute; readonly price: PriceSource };

/** The first is asked, and each of the others when the one before it fails. */
export type PricedRoutes = readonly [PricedRoute, ...PricedRoute[]];

/** Everything that is fixed about an agent before it starts. */
export type AgentSpec = {
  readonly name: string;
  /** Identifies the agent spec within one supervisor. */
  readonly key: string;
  /** What its activations are started with, besides what is each agent's own. */
  readonly shared: WorkerSpec;
  /** What its model is asked with. */
  readonly head: Head;
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
  readonly models: PricedRoutes;
  /** Of the first of them. */
  readonly modelId: string;
  /** Of each of its runs with all that it delegates. */
  readonly budget: Budget;
  /** What its calls are made with besides the conversation. */
  readonly settings: ModelSettings;
  /** Names of the agents it may delegate to; undefined for all. */
  readonly delegates: readonly string[] | undefined;
  readonly rights: Rights;
  /** Where its code runs, and what that may reach. */
  readonly profile: WorkerProfile;
  /** Which calls a person approves first, here and below. */
  readonly requirements: readonly ApprovalRequirement[];
  /** Those that name a granted tool, by its name. */
  readonly requiredApprovals: RequiredApprovals;
} & Omit<RunLimits, 'maxTurns'>;

/** The position in the tree that an agent spec is resolved for. */
export type Place = {
  /** The agent that delegates; undefined for a root. */
  readonly parent:
    | Pick<AgentSpec, 'rights' | 'models' | 'shared' | 'delegates' | 'requirements'>
    | undefined;
  readonly depth: number;
  /** Of the agent that delegates, also in an earlier process; undefined for a root. */
  readonly profile?: WorkerProfile | undefined;
  /** A tool of the program's own loop asks, not the program. */
  readonly isOfLoop?: boolean;
  /** The cost of what it is below is limited. */
  readonly isCostLimited?: boolean;
};

export const rootPlace: Place = { parent: undefined, depth: 0 };
