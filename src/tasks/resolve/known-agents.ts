// Owns the agents that tasks name: those the supervisor was given, and those a task brings itself.
import { foldAliases } from '../../agent/define-agent.ts';
import type { AgentDefinition } from '../../agent/definition.ts';
import { isFolder } from '../../agent/folder-schema.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { insteadOf } from '../../base/nearest-name.ts';

/** What runs a task without an agent. */
const unnamed: AgentDefinition = { name: 'agent' };

export class KnownAgents {
  readonly #named = new Map<string, AgentDefinition>();
  readonly #inline = new WeakMap<AgentDefinition, AgentDefinition>();

  /** Throws `invalid_agent` when two have one name, `unknown_agent` for a delegate that is none of them. */
  constructor(agents: readonly AgentDefinition[]) {
    for (const agent of agents) {
      if (this.#named.has(agent.name)) {
        throw new TroupeError('invalid_agent', `agents: two are named ${describe(agent.name)}`);
      }
      this.#named.set(agent.name, foldAliases(agent));
    }
    for (const agent of agents) this.#checkDelegates(agent, `agent ${describe(agent.name)}: `);
  }

  /** The definition, its aliases folded; always the same one for the same agent. Throws `unknown_agent`. */
  of(agent: string | AgentDefinition | undefined): AgentDefinition {
    if (agent === undefined) return unnamed;
    if (typeof agent === 'object') return this.#folded(agent);
    const known = this.#named.get(agent);
    if (known !== undefined) return known;
    throw new TroupeError(
      'unknown_agent',
      `there is no agent ${describe(agent)} among \`agents\`; ${insteadOf(agent, [...this.#named.keys()])}`,
    );
  }

  /** Tasks bring definitions as users write them; the same object always gives the same folded definition. */
  #folded(definition: AgentDefinition): AgentDefinition {
    let folded = this.#inline.get(definition);
    if (folded === undefined) {
      folded = foldAliases(definition);
      this.#checkDelegates(folded);
      this.#inline.set(definition, folded);
    }
    return folded;
  }

  #checkDelegates({ delegates = [] }: AgentDefinition, whose = ''): void {
    const unknown = delegates.find((name) => !this.#named.has(name));
    if (unknown === undefined) return;
    const instead = insteadOf(unknown, [...this.#named.keys()]);
    const why = `delegates names ${describe(unknown)}, which is none of \`agents\`; ${instead}`;
    throw new TroupeError('unknown_agent', `${whose}${why}`);
  }
}

/** Throws `agent_denied` for an agent the parent may not delegate to. A definition from a program's tool passes. */
export function refuseDelegate(
  agent: string | AgentDefinition | undefined,
  delegates: readonly string[] | undefined,
): void {
  if (delegates === undefined || typeof agent === 'object') return;
  if (agent !== undefined && delegates.includes(agent)) return;
  const who = agent === undefined ? 'an agent without a name' : describe(agent);
  throw new TroupeError(
    'agent_denied',
    `${who} is none that may be delegated to here; these may: ${delegates.join(', ') || 'none'}`,
  );
}

/** Looked at for each task: a definition may be older than its folder, or outlive it. Throws `invalid_agent`. */
export function checkWorkspace({ name, workspace }: AgentDefinition): void {
  if (workspace === undefined || isFolder(workspace)) return;
  const seen = describe(workspace);
  throw new TroupeError(
    'invalid_agent',
    `agent ${name}: workspace is ${seen}: expected a folder that exists`,
    { detail: { field: 'workspace', seen } },
  );
}
