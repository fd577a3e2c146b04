// Owns the making of a subagent's definition from what it was made with and how its session is set: folder, model, tools.
import type { AgentDefinition, ModelRef } from '../../agent/definition.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import { chooseWorkDirectory, isStillThere } from '../../sessions/work-directory-choice.ts';
import { childBoard } from './board-tools.ts';
import { childDefinition } from './child-definition.ts';
import type { ManagerSettings } from './settings.ts';
import type { SubagentMaking } from './subagent.ts';

export class Workshop {
  readonly #host: SessionHost;
  readonly #settings: ManagerSettings;
  readonly #agents: () => Iterable<string>;

  /** `agents` names those of the session. */
  constructor(host: SessionHost, settings: ManagerSettings, agents: () => Iterable<string>) {
    this.#host = host;
    this.#settings = settings;
    this.#agents = agents;
  }

  /**
   * Gives an agent its folder, and again when it is gone; returns why it is not the one that was asked for (A62, A63).
   * Throws `file_refused`.
   */
  chooseFolder(made: SubagentMaking): string | undefined {
    if (made.workspace !== null && isStillThere(made.workspace)) return undefined;
    const { sessionId, workspace } = this.#host;
    const { workspacesRoot, workdirs = [] } = this.#settings.options;
    // Without a root of the sessions' own, the root is the folder that all agents work in.
    const choosable = { listed: workdirs, root: workspacesRoot === undefined };
    const { path, warning } = chooseWorkDirectory({
      requested: made.config.workdir ?? undefined,
      choosable: made.askedBy === 'model' ? choosable : undefined,
      root: workspacesRoot ?? workspace,
      sessionId,
      agentName: made.config.name,
    });
    made.workspace = path;
    return warning;
  }

  /** What the next run is asked as. Rejects `model_unknown`, and what its folder fails with. */
  async define(made: SubagentMaking): Promise<AgentDefinition> {
    const { board } = this.#host;
    const { config, options } = this.#settings;
    const { runtimeTools = [], toolsets = [] } = options;
    const warning = this.chooseFolder(made);
    if (warning !== undefined) this.#host.warn(`subagent "${made.config.name}": ${warning}`);
    return childDefinition({
      made,
      manager: config,
      board: board.isOn ? childBoard({ board, agents: this.#agents }) : null,
      runtimeTools,
      toolsets,
      registered: await this.#host.toolNames(),
      workspace: made.workspace ?? this.#host.workspace,
      model: this.#modelOf(made.config.providerId),
    });
  }

  /** Without a function that knows providers, an id is what a model is chosen by (A40). */
  #modelOf(providerId: string | null): ModelRef | undefined {
    if (providerId === null || providerId === '') return undefined;
    const { providerOf } = this.#settings.options;
    const model = providerOf === undefined ? providerId : providerOf(providerId);
    if (model !== undefined) return model;
    throw new TroupeError('model_unknown', `there is no provider ${describe(providerId)}`);
  }
}
