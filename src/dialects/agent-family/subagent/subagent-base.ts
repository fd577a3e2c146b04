// Owns what a subagent is: an agent of the family that can be exported by a host, and that answers a delegation once.
import type { AgentDefinition, ModelRef, ToolReference } from '../../../agent/definition.ts';
import type { Hooks } from '../../../agent/hooks.ts';
import { TroupeError } from '../../../base/failures.ts';
import { createMsg, msgText } from '../base/msg.ts';
import type { StateStore } from '../base/state-store.ts';
import { defaultMaxIters, type ReActAgentOptions } from '../react/options.ts';
import { ReActAgent } from '../react/react-agent.ts';
import type { TaskRunner } from '../react/runner.ts';
import { Toolkit } from '../react/toolkit.ts';
import {
  type ContextBundle,
  checkedContext,
  compressContext,
  contextText,
  type DelegationContext,
} from './context.ts';
import { DelegatedRunner } from './delegated-runner.ts';
import { type PermissionBundle, type Permissions, permissionBundle } from './permissions.ts';
import {
  responseOf,
  type SubagentResponse,
  type Unavailability,
  unavailabilityOf,
  unavailabilityOfThrown,
  unavailable,
} from './response.ts';
import { limitingHooks, underLimits } from './safety.ts';
import { subagentSession } from './session-prefix.ts';
import { type SubagentTools, toolkitOf, withTools } from './toolkit.ts';
import type { Span } from './tracing.ts';
import { endSpan, openSpan, warn } from './tracing-hooks.ts';
import { ensureFolder } from './virtual-files.ts';

/** What an instance is made with, besides its class settings. `exportAgent` passes it; a program may as well. */
export type SubagentInit = {
  /** Its name among the subagents of its host. */
  readonly name: string;
  /** Runs its replies: a supervisor, or the call it is made for. */
  readonly supervisor: TaskRunner;
  /** What its host lends it. */
  readonly permissions: Permissions;
  /** Default: none. */
  readonly toolsAllowlist?: readonly string[];
  /** Tools of its host, for the allowlist to name. */
  readonly hostToolkit?: readonly ToolReference[];
  /** Instead of its class's model. */
  readonly modelOverride?: ModelRef | undefined;
  /** Whether `delegate` leaves its short-term memory empty. Default true. */
  readonly ephemeralMemory?: boolean;
};

/** What a class of subagents specifies about its instances. */
export type SubagentSettings = Omit<
  ReActAgentOptions,
  'name' | 'supervisor' | 'toolkit' | 'memory'
> & {
  /**
   * What an allowlist can name beside the host's tools; made anew for each instance, on the very handles: tools, names of
   * registered ones, modules of thread tools. It names a module's tools one by one, and those of the toolsets in `run` too.
   */
  readonly tools?: (permissions: PermissionBundle) => readonly ToolReference[];
};

export type DelegateGiven = {
  readonly delegationContext?: DelegationContext;
  /** The older name of the same. */
  readonly contextBundle?: DelegationContext;
  /** The parent of its spans. Default: the host's. */
  readonly span?: Span | undefined;
  readonly signal?: AbortSignal;
};

const contextId = 'delegation_context';

/** A ReAct agent that works for a host: it answers calls with the context it is handed, within its permissions. */
export abstract class SubAgentBase extends ReActAgent {
  /** What its host lends it. */
  readonly permissions: PermissionBundle;
  /** Whether it forgets each call when the call ends. */
  readonly ephemeralMemory: boolean;
  /** Its own part of the host's session state; undefined where none is lent. */
  readonly session: StateStore | undefined;
  readonly #runner: DelegatedRunner;
  readonly #tools: SubagentTools;
  /** What counts the reply in flight. */
  #limits: { readonly reply: AbortSignal | null; readonly hooks: Hooks } | undefined;

  constructor(init: SubagentInit, settings: SubagentSettings) {
    const permissions = permissionBundle(init.permissions);
    const { tools: toolsOf, ...own } = settings;
    const { toolsets = [], ownTools = [], grantedTools = [] } = own.run ?? {};
    const { name, toolsAllowlist = [], hostToolkit = [], modelOverride = own.model } = init;
    const tools = toolkitOf({
      name,
      allowlist: toolsAllowlist,
      own: [...grantedTools, ...ownTools, ...(toolsOf?.(permissions) ?? [])],
      host: hostToolkit,
      toolsets,
      permissions,
    });
    const runner = new DelegatedRunner(init.supervisor, (agent) => this.#bounded(agent));
    super({
      ...own,
      name,
      supervisor: runner,
      maxIters: Math.min(
        own.maxIters ?? defaultMaxIters,
        permissions.safetyLimits.maxTurns ?? Infinity,
      ),
      toolkit: new Toolkit(tools.tools),
      ...(modelOverride === undefined ? {} : { model: modelOverride }),
    });
    this.permissions = permissions;
    this.ephemeralMemory = init.ephemeralMemory ?? true;
    const { session } = permissions;
    this.session = session === undefined ? undefined : subagentSession(session, name);
    this.#runner = runner;
    this.#tools = tools;
  }

  /** Asked once, at registration; false or a throw keeps the subagent from being registered. */
  async healthcheck(): Promise<boolean> {
    return true;
  }

  /** How a host's context is compressed for this class: called by the host's side, once per call. Overridable. */
  static preContextCompress(
    parentContext: ContextBundle,
    task: string,
  ): DelegationContext | Promise<DelegationContext> {
    return compressContext(parentContext, task);
  }

  /** Puts the context into its own memory; the same one again changes nothing, another takes its place. */
  loadDelegationContext(metadata: Readonly<Record<string, unknown>>): void {
    const given = metadata['delegation_context'];
    if (typeof given !== 'object' || given === null) {
      throw new TroupeError('invalid_options', 'the metadata has no delegation_context');
    }
    // The metadata may come from any source: missing keys are added and the bounds applied.
    const context = checkedContext(given as Partial<DelegationContext>);
    const content = contextText(context);
    const known = this.memory.messages().find(({ id }) => id === contextId);
    if (known !== undefined && msgText(known) === content) return;
    this.memory.delete([contextId]);
    this.memory.add(
      createMsg({
        id: contextId,
        name: this.permissions.supervisorName,
        role: 'user',
        content,
        metadata: { delegation_context: context },
        clock: this.clock,
      }),
    );
  }

  /**
   * Works on a task by its own `reply`, in as many rounds as it takes, and resolves with exactly one response. Never
   * rejects: any failure becomes a response that describes it, with a warning and a failed span.
   */
  async delegate(taskSummary: string, given: DelegateGiven = {}): Promise<SubagentResponse> {
    const { name, permissions } = this;
    const parties = { subagent: name, supervisor: permissions.supervisorName };
    const span = openSpan(permissions, `invoke_agent ${name}`, {
      parent: given.span ?? permissions.span,
      attributes: parties,
    });
    const answer = await this.#answer(taskSummary, given);
    if (this.ephemeralMemory) this.memory.clear();
    if ('text' in answer) {
      endSpan(permissions, span, { status: 'ok' });
      return responseOf(answer.text, parties);
    }
    warn(permissions, { ...parties, error: answer.error }, `subagent ${name}: ${answer.message}`);
    endSpan(permissions, span, { status: 'failed', error: answer.error });
    return unavailable(answer, parties);
  }

  async #answer(
    taskSummary: string,
    { delegationContext, contextBundle, signal }: DelegateGiven,
  ): Promise<{ readonly text: string } | Unavailability> {
    this.#runner.forget();
    try {
      const context = delegationContext ?? contextBundle;
      if (context !== undefined) this.loadDelegationContext({ delegation_context: context });
      const { supervisorName } = this.permissions;
      const asked = createMsg({
        name: supervisorName,
        role: 'user',
        content: taskSummary,
        clock: this.clock,
      });
      const reply = await this.reply(asked, signal === undefined ? {} : { signal });
      const { outcome } = this.#runner;
      const why = outcome === null ? null : unavailabilityOf(outcome);
      return why ?? { text: msgText(reply) };
    } catch (thrown) {
      // The outcome of the run is more precise than the error of the reply.
      const { outcome } = this.#runner;
      const why = outcome === null ? null : unavailabilityOf(outcome);
      return why ?? unavailabilityOfThrown(thrown);
    }
  }

  /** Itself for one run: within its limits, in its own folder. */
  #bounded(agent: AgentDefinition): AgentDefinition {
    const { filesystem, safetyLimits } = this.permissions;
    const limited = underLimits(withTools(agent, this.#tools), safetyLimits, this.#limiting());
    if (filesystem === undefined) return limited;
    return { ...limited, workspace: ensureFolder(filesystem, agent.name) };
  }

  /** The same for all runs of one reply. */
  #limiting(): Hooks {
    const { replySignal: reply } = this;
    if (this.#limits?.reply !== reply) {
      this.#limits = { reply, hooks: limitingHooks(this.permissions.safetyLimits) };
    }
    return this.#limits.hooks;
  }
}
