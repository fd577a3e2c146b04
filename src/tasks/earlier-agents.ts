// Owns how persistent agents of an earlier process are found by their names: with their memory, and what they were asked.
import type { AgentDefinition } from '../agent/definition.ts';
import type { ProcessRef } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { AgentRuns } from './agent-runs.ts';
import type { TaskJournal } from './journal/task-journal.ts';
import { type LoadedAgent, WrittenAgent } from './journal/written-agent.ts';
import type { SchedulerMessage } from './messages.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import { Agent } from './state.ts';
import { whenReady } from './when-ready.ts';
import type { World } from './world.ts';

/** What the program gives with the name of an agent that may be an earlier one. */
type Given = {
  /** The name of its definition, and what that made. */
  readonly definedAs: string;
  readonly spec: Promise<AgentSpec>;
  readonly survivesCrash: boolean;
};

export type EarlierAgentsOptions = {
  readonly world: World;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
  readonly processRef: ProcessRef;
  readonly dispatch: (message: SchedulerMessage) => void;
  /** What an agent is made of. Rejects what is wrong with it. */
  readonly specOf: (agent: string | AgentDefinition) => Promise<AgentSpec>;
  readonly runs: Pick<AgentRuns, 'found'>;
};

/** An agent that has its place again. */
type Restored = {
  readonly agent: Agent;
  /** It can be asked. Rejects why it never will. */
  readonly ready: Promise<void>;
};

export class EarlierAgents {
  readonly #options: EarlierAgentsOptions;
  /** Those that are on their way, by name. */
  readonly #restoring = new Map<string, Promise<Restored | null>>();
  readonly #given = new Map<string, Given>();
  /** Agents that nothing in the program has asked for yet. */
  readonly #unclaimed = new WeakSet<Agent>();

  constructor(options: EarlierAgentsOptions) {
    this.#options = options;
  }

  /**
   * For the program, with what it would spawn: the agent that an earlier process had under this name, once. Null where there is
   * none, or it is in use here. Rejects `recovery_failed`, and what is wrong with what it is made of.
   */
  async claim(name: string, given: Given): Promise<Agent | null> {
    if (this.#options.journal === null) return null;
    this.#given.set(name, given);
    try {
      const living = this.living(name);
      const agent = living ?? (await this.#ready(name));
      if (agent === null || given.definedAs !== agent.spec.name) return null;
      return this.#unclaimed.delete(agent) ? agent : null;
    } finally {
      this.#given.delete(name);
    }
  }

  /** The living agent of this name, or the one that an earlier process had. Rejects `unknown_agent` too. */
  async named(name: string): Promise<Agent> {
    const isName = typeof name === 'string';
    const agent = isName ? (this.living(name) ?? (await this.#ready(name))) : null;
    if (agent === null) {
      throw new TroupeError('unknown_agent', `there is no persistent agent ${describe(name)}`);
    }
    this.#unclaimed.delete(agent);
    return agent;
  }

  /** An agent goes on, with its runs, before the program asks for it; resolves once they have their places again. */
  async goOn(name: string): Promise<void> {
    if (this.living(name) !== null) return;
    if ((await this.#restore(name)) !== null) return;
    throw new TroupeError('recovery_failed', `the journal does not have agent ${name} any more`);
  }

  living(name: string): Agent | null {
    return this.#options.world.registry.named(name);
  }

  #ready(name: string): Promise<Agent | null> {
    const ready = this.#restore(name).then(async (restored) => {
      await restored?.ready;
      return restored?.agent ?? null;
    });
    return this.#options.processRef.during(ready);
  }

  #restore(name: string): Promise<Restored | null> {
    const known = this.#restoring.get(name);
    if (known !== undefined) return known;
    const restoring = this.#load(name);
    this.#restoring.set(name, restoring);
    void this.#forgetAfter(name, restoring);
    return restoring;
  }

  /** Once it can be asked it is found among the living. Never rejects. */
  async #forgetAfter(name: string, restoring: Promise<Restored | null>): Promise<void> {
    await restoring.then((restored) => restored?.ready).catch(() => {});
    this.#restoring.delete(name);
  }

  async #load(name: string): Promise<Restored | null> {
    const { journal, specOf, runs, dispatch, world } = this.#options;
    // Of an idle one only the journal has the memory.
    const isBusy = [...world.found.unfinishedOf(name)].length > 0;
    const loaded = (await journal?.findAgent(name, isBusy)) ?? null;
    if (loaded === null) return null;
    const { stored } = loaded;
    const given = this.#given.get(name);
    const spec = await (given?.spec ?? specOf(stored.definition));
    const { survivesCrash } = given ?? stored;
    const agent = agentOf(name, loaded, { spec, survivesCrash });
    const places = [...world.found.unfinishedOf(name)];
    const found = await Promise.all(places.map((place) => runs.found(agent, place)));
    if (world.isClosed) throw new TroupeError('closed', 'the supervisor is closed');
    this.#unclaimed.add(agent);
    const ready = whenReady(agent);
    for (const { taskId } of places) world.found.take(taskId);
    dispatch({ type: 'restore_agent', agent, runs: found });
    return { agent, ready };
  }
}

function agentOf(
  name: string,
  loaded: LoadedAgent,
  facts: { readonly spec: AgentSpec; readonly survivesCrash: boolean },
): Agent {
  const agent = new Agent({ ...facts, name, lifetime: 'persistent', parent: null, depth: 0 });
  agent.written = WrittenAgent.of(loaded);
  agent.memory = loaded.memory;
  if (loaded.used !== null) {
    const { usage, agents, files } = loaded.used;
    agent.branch.usage = usage;
    agent.branch.agents = agents;
    agent.branch.files = files.length === 0 ? null : new Set(files);
  }
  return agent;
}
