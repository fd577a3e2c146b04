// Owns the making of an instance for a host: what is shared, what is new, and its health where that is asked (D36, D44, D45).
import type { ModelRef, ToolReference } from '../../../agent/definition.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { describe, TroupeError } from '../../../base/failures.ts';
import type { TaskRunner } from '../react/runner.ts';
import type { ContextBundle, DelegationContext } from './context.ts';
import type { Permissions } from './permissions.ts';
import { checkSpec, type SubAgentSpec, SubAgentUnavailable } from './spec.ts';
import type { SubAgentBase, SubagentInit } from './subagent-base.ts';

/** A class of subagents: made of what a host hands over, and nothing else. */
export type SubagentClass<Agent extends SubAgentBase = SubAgentBase> = {
  new (init: SubagentInit): Agent;
  /** How a host's context is compressed for it. */
  preContextCompress(
    parentContext: ContextBundle,
    task: string,
  ): DelegationContext | Promise<DelegationContext>;
};

/** What an instance is made of for its host. */
export type ExportOptions = {
  /** Who it is. */
  readonly spec: SubAgentSpec;
  /** What its host lends it. */
  readonly permissions: Permissions;
  /** Runs its replies: a supervisor, or the call it is made for. */
  readonly supervisor: TaskRunner;
  /** For classes that look at it; nothing is done with it here. */
  readonly parentContext?: ContextBundle;
  /** For classes that look at it. */
  readonly task?: string;
  /** Loaded into the new instance's memory, as `delegate` would. */
  readonly delegationContext?: DelegationContext;
  /** Default false: it was asked at registration. */
  readonly runHealthcheck?: boolean;
  /** Default 10,000. */
  readonly healthcheckTimeoutMs?: number;
  /** Default: the spec's. */
  readonly toolsAllowlist?: readonly string[];
  /** Default: the spec's, then the class's own. */
  readonly modelOverride?: ModelRef;
  /** Tools of its host, for the allowlist to name. Default: none. */
  readonly hostToolkit?: readonly ToolReference[];
  /** Default true. */
  readonly ephemeralMemory?: boolean;
  /** Times the health check. Default: the clock of the machine. */
  readonly clock?: Clock;
};

const defaultHealthcheckTimeoutMs = 10_000;

/**
 * A new instance on the host's very handles. Its toolkit, memory, subscribers, queue and hooks are its own, and nothing of a
 * reply that the host has on. No model is called and nothing is compressed. Rejects `invalid_options`, `SubAgentUnavailable` for a health check
 * that fails, `unknown_tool` for a tool of the allowlist that is not there, and what the class itself throws.
 */
export async function exportAgent<Agent extends SubAgentBase>(
  cls: SubagentClass<Agent>,
  options: ExportOptions,
): Promise<Agent> {
  const { permissions, supervisor, delegationContext, hostToolkit } = options;
  const spec = checkSpec(options.spec);
  const { ephemeralMemory = true, runHealthcheck = false } = options;
  const agent = new cls({
    name: spec.name,
    permissions,
    supervisor,
    toolsAllowlist: options.toolsAllowlist ?? spec.toolsAllowlist,
    modelOverride: options.modelOverride ?? spec.modelOverride,
    ephemeralMemory,
    ...(hostToolkit === undefined ? {} : { hostToolkit }),
  });
  if (delegationContext !== undefined) {
    agent.loadDelegationContext({ delegation_context: delegationContext });
  }
  if (runHealthcheck) await checkHealth(agent, options);
  return agent;
}

/** The spec's check, then the instance's own: both have to say yes in time. */
async function checkHealth(agent: SubAgentBase, options: ExportOptions): Promise<void> {
  const { spec, clock = systemClock } = options;
  const { healthcheckTimeoutMs = defaultHealthcheckTimeoutMs } = options;
  let cancel = (): void => {};
  const overdue = new Promise<never>((_, reject) => {
    cancel = clock.after(healthcheckTimeoutMs, () => {
      const why = `its health check did not answer within ${healthcheckTimeoutMs} ms`;
      reject(new SubAgentUnavailable(spec.name, why));
    });
  });
  try {
    const answers = [spec.healthcheck, () => agent.healthcheck()];
    for (const check of answers) {
      const answer: unknown = await Promise.race([check?.(), overdue]);
      if (answer === false) throw new SubAgentUnavailable(spec.name, 'its health check said no');
    }
  } finally {
    cancel();
  }
}

/** Throws `invalid_options` for what is no class of subagents. */
export function checkClass(cls: unknown): void {
  const isClass =
    typeof cls === 'function' && typeof Reflect.get(cls, 'preContextCompress') === 'function';
  if (isClass) return;
  throw new TroupeError(
    'invalid_options',
    `a subagent is a class that extends SubAgentBase, got ${describe(cls)}`,
  );
}
