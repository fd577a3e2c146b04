// Owns the registration of subagents with a host: one health check each, and no second try (D29, X16).
import { describe, TroupeError } from '../../../base/failures.ts';
import type { Tool } from '../../../tools/tool.ts';
import { noRunner } from './delegated-runner.ts';
import { exportAgent, type SubagentClass } from './export-agent.ts';
import { type PermissionBundle, permissionBundle } from './permissions.ts';
import { unavailabilityOfThrown } from './response.ts';
import type { CheckedSpec, SubAgentSpec } from './spec.ts';
import type { SubAgentBase } from './subagent-base.ts';
import {
  type InvokeSubagent,
  makeSubagentTool,
  type PresetArguments,
  type SubagentToolOptions,
} from './subagent-tool.ts';
import { endSpan, openSpan, warn } from './tracing-hooks.ts';

/** What every subagent of a registry has in common. */
export type RegistryOptions = PresetArguments &
  Pick<SubagentToolOptions, 'timeoutMs'> & {
    /** Milliseconds a health check may take. Default 10,000. */
    readonly healthcheckTimeoutMs?: number;
  };

type Tried = {
  readonly tool: Tool<InvokeSubagent>;
  readonly status: 'checking' | 'registered' | 'unavailable';
};

/** The subagents of one host. What is registered is plain tools, for the host's toolkit or for any loop. */
export class SubagentRegistry {
  readonly #options: RegistryOptions;
  readonly #permissions: PermissionBundle;
  /** By the subagent's name, which is taken whatever comes of it. */
  readonly #tried = new Map<string, Tried>();

  /** Throws `invalid_options`. */
  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#permissions = permissionBundle(options.permissions);
  }

  /** Those that are there, in the order they were registered. */
  get tools(): readonly Tool<InvokeSubagent>[] {
    const tried = [...this.#tried.values()];
    return tried.filter(({ status }) => status === 'registered').map(({ tool }) => tool);
  }

  /**
   * Makes one instance, checks its health, and offers its tool when it is well. Resolves with whether it is available.
   * A failed one is logged and traced, blocks no other, and is never tried again. Rejects `invalid_options` for a
   * spec that is wrong or a name that is registered, `invalid_tool` for a tool's name that is taken.
   */
  async register<Agent extends SubAgentBase>(
    cls: SubagentClass<Agent>,
    spec: SubAgentSpec,
    own: Partial<SubagentToolOptions> = {},
  ): Promise<boolean> {
    const permissions = this.#permissions;
    const preset = { ...this.#options, permissions, ...own };
    const { tool, registration } = makeSubagentTool(cls, spec, preset);
    const { name } = registration.spec;
    const known = this.#tried.get(name);
    if (known?.status === 'unavailable') return false;
    if (known !== undefined) {
      throw new TroupeError('invalid_options', `there is a subagent ${describe(name)} already`);
    }
    const isTaken = [...this.#tried.values()].some(
      (each) => each.status !== 'unavailable' && each.tool.name === tool.name,
    );
    if (isTaken) {
      throw new TroupeError(
        'invalid_tool',
        `two tools are named ${describe(tool.name)}; rename one`,
      );
    }
    this.#tried.set(name, { tool, status: 'checking' });
    const isThere = await this.#isThere(cls, registration.spec, {
      ...preset,
      permissions: registration.permissions,
    });
    this.#tried.set(name, { tool, status: isThere ? 'registered' : 'unavailable' });
    return isThere;
  }

  async #isThere<Agent extends SubAgentBase>(
    cls: SubagentClass<Agent>,
    spec: CheckedSpec,
    preset: RegistryOptions & { readonly permissions: PermissionBundle },
  ): Promise<boolean> {
    const { permissions } = preset;
    const { supervisorName, span: parent } = permissions;
    const parties = { subagent: spec.name, supervisor: supervisorName };
    const span = openSpan(permissions, `register_subagent ${spec.name}`, {
      parent,
      attributes: parties,
    });
    try {
      await exportAgent(cls, {
        ...preset,
        spec,
        supervisor: noRunner,
        runHealthcheck: true,
      });
      endSpan(permissions, span, { status: 'ok' });
      return true;
    } catch (thrown) {
      const { error, message } = unavailabilityOfThrown(thrown);
      warn(
        permissions,
        { ...parties, error },
        `subagent ${spec.name} was not registered: ${message}`,
      );
      endSpan(permissions, span, { status: 'failed', error });
      return false;
    }
  }
}
