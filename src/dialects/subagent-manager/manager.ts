// Owns the subagents of one session, static and dynamic: which exist, what they remember, their status (A22 to A33).
// Leaves out how a run goes (handoff-run.ts), and what a model calls all this (tools/).
import type { AgentDefinition } from '../../agent/definition.ts';
import type { StoredMessage } from '../../agent/prompt/preamble.ts';
import { copyData } from '../../base/copy-data.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import { askedAs } from './child-definition.ts';
import {
  judgedConfig,
  type ManagerConfig,
  type ManagerConfigInput,
  staticNameSchema,
} from './config.ts';
import { checkCreation } from './creation.ts';
import type { Deliveries } from './deliveries.ts';
import { FaultBook } from './fault-book.ts';
import type { HandoffRuns } from './handoff-run.ts';
import { givenMessages, withRun } from './history.ts';
import { mainAgentOf, mainToolsOf } from './main-agent.ts';
import { mainPrompt } from './main-prompt.ts';
import { MainRuns } from './main-runs.ts';
import { managerParts } from './manager-parts.ts';
import { type ManagerOptions, ManagerSettings } from './settings.ts';
import { type SubagentSnapshot, snapshotOf } from './snapshot.ts';
import {
  type CreatedSubagent,
  type Creator,
  makingOf,
  newSubagent,
  type Removal,
  type Subagent,
  type SubagentInput,
  type SubagentMaking,
  type SubagentStatus,
  statusSchema,
} from './subagent.ts';
import type { TaskBook } from './task-book.ts';
import { handoffTool } from './tools/handoff-tool.ts';
import { OfferedTools } from './tools/offered.ts';
import { Workshop } from './workshop.ts';

/** The subagents of one session. Nothing here reaches another session. */
export class SubagentManager {
  /** What the session offers. */
  readonly host: SessionHost;
  /** Its configuration, and what the program equipped it with. */
  readonly settings = new ManagerSettings();
  /** Background tasks and their results. */
  readonly tasks: TaskBook;
  /** Hands results of background tasks to the main agent. */
  readonly deliveries: Deliveries;
  /** The runs of the main agent. */
  readonly mainRuns = new MainRuns();
  /** The runs of subagents. */
  readonly runs: HandoffRuns;
  readonly #agents = new Map<string, Subagent>();
  /** What the main agent is offered. */
  readonly offered: OfferedTools;
  readonly #workshop: Workshop;
  #faults: FaultBook | null = null;

  constructor(host: SessionHost) {
    this.host = host;
    ({ tasks: this.tasks, runs: this.runs, deliveries: this.deliveries } = managerParts(this));
    this.offered = new OfferedTools(this);
    this.#workshop = new Workshop(host, this.settings, () => this.#agents.keys());
  }

  /**
   * Configures this session and no other: what is left out has its default. Agents of the operator are registered anew, which
   * takes nothing from existing ones; one that is wrong is left out, and a `log` event reports each fault. Throws
   * `invalid_options` for what is wrong beside its agents, and changes nothing then, of `options` neither.
   */
  configure(input: ManagerConfigInput, options: ManagerOptions = {}): ManagerConfig {
    const { config, faults } = judgedConfig(input);
    const equipped = this.settings.equippedWith(options);
    this.settings.configure(config);
    this.settings.equip(equipped);
    const { board } = this.host;
    if (config.enabled && config.boardEnabled) {
      board.turnOn({ maxEntries: config.maxBoardEntries, timeZone: config.timeZone });
    } else board.turnOff();
    this.#faults = new FaultBook(this.host, faults);
    this.#registerAll();
    return config;
  }

  /** What is added to the system prompt of a loop's main agent; `mainAgent` brings that of the tree. */
  mainPrompt(): string {
    return mainPrompt(this.settings.config);
  }

  /** The main agent's own tools without those that the operator's agents have, where that is configured. */
  mainTools<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
    return mainToolsOf(this, tools);
  }

  /** What an agent of the tree needs to be this session's main agent, for its definition. */
  mainAgent(): Pick<AgentDefinition, 'equip' | 'hooks'> {
    return mainAgentOf(this);
  }

  /** Everything that is known of the session, as plain data. */
  snapshot(): SubagentSnapshot {
    return snapshotOf(this, this.host.lastActivityAt());
  }

  /** The subagents there are, in the order they were registered. */
  agents(): readonly Subagent[] {
    return [...this.#agents.values()];
  }

  /** The subagent of this name; null when there is none. */
  find(name: string): Subagent | null {
    return this.#agents.get(name) ?? null;
  }

  /**
   * Registers an agent; the pair is the name of its tool and the tool. An existing one is defined anew, which uses no
   * quota and begins its history again; it remains protected if it was. Rejects `invalid_agent` for its name,
   * `max_total_agents` for the quota, `refused` for one that runs or that the operator configured, and what is wrong with
   * its tools, skills and provider; nothing of it is there then. A model can choose fewer folders, and the
   * tools it names as far as its caller may use them: the warning lists those that its own agent may not.
   */
  async create(
    input: SubagentInput,
    isProtected = false,
    { askedBy, agentId = '' }: Creator = { askedBy: 'program' },
  ): Promise<CreatedSubagent> {
    this.host.touch();
    const made = makingOf(input, this.settings.lists, askedBy);
    this.#checkCreation(made.config.name);
    const folder = this.#workshop.chooseFolder(made);
    const task = { goal: 'check', ...askedAs(made, await this.#workshop.define(made)) };
    const withheld = await this.host.check(task, agentId);
    const warning = [folder ?? [], withheld].flat().join('\n') || undefined;
    // Others may have been created meanwhile.
    this.#checkCreation(made.config.name);
    const agent = this.#register(made, 'dynamic');
    // An agent that is defined anew keeps its protection.
    if (isProtected) agent.isProtected = true;
    return { toolName: agent.handoff.name, tool: agent.handoff, warning };
  }

  /**
   * Registers an agent of the operator, protected; called for each whenever the main agent is built. One that is there
   * already keeps its state. It counts against the quota and never fails on it. Throws `invalid_options`.
   */
  registerStatic(input: SubagentInput): Subagent {
    parseOptions(staticNameSchema, input.name, 'subagent: name');
    const known = this.#agents.get(input.name);
    const made = makingOf(input, this.settings.lists);
    if (known?.kind === 'static') {
      // It keeps its folder, unless another was requested.
      if (known.made.config.workdir === made.config.workdir) made.workspace = known.made.workspace;
      const { description } = made.config;
      if (known.made.config.description !== description) {
        known.handoff = handoffTool(this, { name: known.name, description });
      }
      known.made = made;
      return known;
    }
    const agent = this.#register(made, 'static');
    agent.isProtected = true;
    return agent;
  }

  /**
   * The agents of the configuration, judged as by `configure`; those it no longer has, or all while the manager is off, are
   * gone. Throws `invalid_options` for the options, and changes nothing then.
   */
  registerConfigured(options: ManagerOptions = {}): void {
    this.settings.equip(options);
    this.#registerAll();
  }

  /** Removes an agent; its active run is interrupted. Null when there is none. */
  remove(name: string): Removal | null {
    const agent = this.#agents.get(name);
    if (agent === undefined) return null;
    const { run } = agent;
    this.forget(name);
    if (run === null) return { name };
    void run.interrupt(`subagent "${name}" was removed`);
    return { name, interrupted: { taskId: run.taskId } };
  }

  /** Takes an agent and what it knew from the session; background tasks go on, and unread results stay. */
  forget(name: string): void {
    const agent = this.#agents.get(name);
    if (agent === undefined) return;
    agent.generation += 1;
    this.#agents.delete(name);
    this.host.board.removeAgent(name);
    this.tasks.leave(name);
  }

  /** Clears what an agent remembers, and what it posted. False when there is none. */
  reset(name: string): boolean {
    if (!this.clearHistory(name)) return false;
    if (this.host.board.isOn) this.host.board.removeAgent(name);
    return true;
  }

  /** False when there is no such agent. */
  setProtected(name: string, isProtected: boolean): boolean {
    const agent = this.#agents.get(name);
    if (agent !== undefined) agent.isProtected = isProtected;
    return agent !== undefined;
  }

  /** Whether the agent stays when a run of the main agent ends. False when there is none. */
  isProtected(name: string): boolean {
    return this.#agents.get(name)?.isProtected === true;
  }

  /** What the agent does, or how its last run ended; null when there is none. */
  status(name: string): SubagentStatus | null {
    return this.#agents.get(name)?.status ?? null;
  }

  /** The status of each agent, by name. */
  statuses(): Readonly<Record<string, SubagentStatus>> {
    return Object.fromEntries(this.agents().map(({ name, status }) => [name, status]));
  }

  /** For a program that runs an agent itself. False when there is none. Throws `invalid_options`. */
  setStatus(name: string, status: SubagentStatus): boolean {
    parseOptions(statusSchema, status, 'subagent manager: status');
    const agent = this.#agents.get(name);
    if (agent !== undefined) agent.status = status;
    return agent !== undefined;
  }

  /** A copy of the messages the agent remembers; empty when there is none. */
  history(name: string): readonly StoredMessage[] {
    return copyData(this.#agents.get(name)?.history ?? []);
  }

  /**
   * Adds a run's messages, as the runtime does by itself. False when there is no such agent, or no history. Throws
   * `invalid_options` for messages that no run could go on from.
   */
  addHistory(name: string, messages: readonly StoredMessage[]): boolean {
    const messagesOf = givenMessages(messages, 'subagent manager: messages');
    const agent = this.#agents.get(name);
    const { historyEnabled, maxHistoryMessages } = this.settings.config;
    if (agent === undefined || !historyEnabled) return false;
    agent.history = withRun(agent.history, messagesOf, maxHistoryMessages);
    return true;
  }

  /** Makes the agent forget its runs, one that is on included. False when there is none. */
  clearHistory(name: string): boolean {
    const agent = this.#agents.get(name);
    if (agent === undefined) return false;
    agent.generation += 1;
    agent.history = [];
    return true;
  }

  /** The result of a task was received; if its agent is gone, the result is forgotten. */
  markRead(agent: string, taskId: string): void {
    this.tasks.read(agent, taskId);
    if (!this.#agents.has(agent)) this.tasks.leave(agent);
  }

  /** What the next run of an agent is asked as. Rejects `file_refused` and whatever a folder can fail with. */
  definitionOf({ made }: Subagent): Promise<AgentDefinition> {
    return this.#workshop.define(made);
  }

  #checkCreation(name: string): void {
    checkCreation(name, { agents: this.#agents, maxAgents: this.settings.config.maxAgents });
  }

  #registerAll(): void {
    this.#faults ??= new FaultBook(this.host, []);
    const { agents, kept } = this.#faults.judge(this.settings);
    for (const { name, kind } of this.agents()) {
      if (kind === 'static' && !kept.has(name)) this.forget(name);
    }
    for (const agent of agents) this.registerStatic(agent);
  }

  #register(made: SubagentMaking, kind: Subagent['kind']): Subagent {
    const { name, description } = made.config;
    const before = this.#agents.get(name);
    if (before !== undefined) before.generation += 1;
    const handoff = handoffTool(this, { name, description });
    const isProtected = before?.isProtected ?? false;
    const agent = newSubagent(made, { kind, handoff, isProtected });
    this.#agents.set(name, agent);
    return agent;
  }
}
