// Owns what a subagent manager is configured with: one schema, its defaults, the source's spelling in and out (A1 to A17, A82).
import { z } from 'zod';
import { isTimeZone } from '../../agent/prompt/time.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { optionFaults, parseOptions } from '../../base/parse-options.ts';
import { secondsAsMs } from '../../base/source-names.ts';
import { maxEntries } from '../../sessions/board-entries.ts';
import { refuseTaken } from './names.ts';
import type { StaticFault } from './static-fault.ts';
import { defaultToolLists } from './tool-lists.ts';

/** An agent the operator configured. */
export type StaticAgentConfig = {
  /** The agent's name. */
  readonly name: string;
  /** The id of its persona; the program resolves it by `personaOf`. */
  readonly personaId: string;
  /** The agent's purpose, for the main agent's model. */
  readonly description: string;
  /** Whether it is registered. */
  readonly enabled: boolean;
  /** Which provider it thinks with; empty for the main agent's. */
  readonly providerId: string;
  /** Responses of its model in one run; null, the default, for the supervisor's limit. */
  readonly maxTurns: number | null;
  /** One model call more when its turns are used up, for a closing answer. Default false. */
  readonly closingAnswer: boolean;
};

/** Everything a manager can be configured with. In brackets, what the source calls it. */
export type ManagerConfig = {
  /** The master switch, of static and dynamic agents alike. Default false (`main_enable`). */
  readonly enabled: boolean;
  /** Takes the tools of static agents from the main agent. Default false (`remove_main_duplicate_tools`). */
  readonly removeDuplicateTools: boolean;
  /** For the main agent, while it cannot create agents. Default empty (`router_system_prompt`). */
  readonly routerPrompt: string;
  /** The agents that every session begins with. Default: none. */
  readonly agents: readonly StaticAgentConfig[];
  /** Whether the main agent may create agents. Default false (`enabled` of `dynamic_agents`, or `enable_dynamic`). */
  readonly dynamicEnabled: boolean;
  /** Agents of one session, static ones included. Default 3 (`max_dynamic_subagent_count`). */
  readonly maxAgents: number;
  /** Removes unprotected agents when a run of the main agent ends. Default true (`auto_cleanup_per_turn`). */
  readonly cleanupAtRunEnd: boolean;
  /** Rules of behaviour for subagents; empty, the default, for the built-in ones (`rule_prompt`). */
  readonly rulePrompt: string;
  /** Tools that no subagent has, even on request. Default: the eight that manage agents and the board (`tools_blacklist`). */
  readonly blacklist: readonly string[];
  /** Tools of every subagent. Default: `astrbot_execute_shell`, `astrbot_execute_python` (`tools_inherent`). */
  readonly inherent: readonly string[];
  /** Adds the time to the prompts of subagents. Default true (`time_prompt_enabled`). */
  readonly timeEnabled: boolean;
  /** The zone of every time in a prompt. Default: the machine's (`timezone`). */
  readonly timeZone: string;
  /** Default true (`history_enabled`). */
  readonly historyEnabled: boolean;
  /** Default 300 (`subagent_history_maxlen`). */
  readonly maxHistoryMessages: number;
  /** Default false (`shared_context_enabled`). */
  readonly boardEnabled: boolean;
  /** At most 10,000. Default 300 (`shared_context_maxlen`). */
  readonly maxBoardEntries: number;
  /** Of one run of a subagent; zero and less for no limit. Default 20 minutes (`execution_timeout`, in seconds). */
  readonly executionTimeoutMs: number;
};

/** A configuration as it is written, in either spelling; what is left out has its default. */
export type ManagerConfigInput = Partial<ManagerConfig> | Readonly<Record<string, unknown>>;

/** What an agent of the operator can be called; with `transfer_to_` in front it has to be the name of a tool. */
export const staticNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,52}$/, 'expected letters, digits, _ and -, at most 52')
  .refine((name) => refuseTaken(name) === null, {
    error: ({ input }) => `it ${refuseTaken(String(input))}`,
  });

/** How long an agent's runs may be, and how they close. */
export const turnFields = {
  maxTurns: z.number().int().min(1).nullable().default(null),
  closingAnswer: z.boolean().default(false),
};

const staticAgent = z.strictObject({
  name: staticNameSchema,
  personaId: z.string().default(''),
  description: z.string().default(''),
  enabled: z.boolean().default(true),
  providerId: z.string().default(''),
  ...turnFields,
});
const names = z.array(z.string().min(1));
const machineZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The schema of our own spelling; a page that edits a configuration can read its fields from it. */
export const managerConfigSchema = z.strictObject({
  enabled: z.boolean().default(false),
  removeDuplicateTools: z.boolean().default(false),
  routerPrompt: z.string().default(''),
  agents: z
    .array(staticAgent)
    .refine(
      (agents) => new Set(agents.map(({ name }) => name)).size === agents.length,
      'two agents have one name',
    )
    .default([]),
  dynamicEnabled: z.boolean().default(false),
  maxAgents: z.number().int().min(0).default(3),
  cleanupAtRunEnd: z.boolean().default(true),
  rulePrompt: z.string().default(''),
  blacklist: names.default([...defaultToolLists.blacklist]),
  inherent: names.default([...defaultToolLists.inherent]),
  timeEnabled: z.boolean().default(true),
  timeZone: z
    .string()
    .refine(isTimeZone, 'expected a time zone such as Europe/Berlin')
    .default(machineZone),
  historyEnabled: z.boolean().default(true),
  maxHistoryMessages: z.number().int().min(1).default(300),
  boardEnabled: z.boolean().default(false),
  maxBoardEntries: z.number().int().min(1).max(maxEntries).default(300),
  executionTimeoutMs: z.number().default(1_200_000),
});

/** The source's names at the top of its configuration, and ours. */
export const topNames = {
  main_enable: 'enabled',
  remove_main_duplicate_tools: 'removeDuplicateTools',
  router_system_prompt: 'routerPrompt',
  agents: 'agents',
} as const;
/** Those of its group `dynamic_agents`; it puts some of them at the top as well. */
export const groupNames = {
  max_dynamic_subagent_count: 'maxAgents',
  auto_cleanup_per_turn: 'cleanupAtRunEnd',
  rule_prompt: 'rulePrompt',
  tools_blacklist: 'blacklist',
  tools_inherent: 'inherent',
  time_prompt_enabled: 'timeEnabled',
  timezone: 'timeZone',
  history_enabled: 'historyEnabled',
  subagent_history_maxlen: 'maxHistoryMessages',
  shared_context_enabled: 'boardEnabled',
  shared_context_maxlen: 'maxBoardEntries',
} as const;
export const agentNames = {
  name: 'name',
  persona_id: 'personaId',
  public_description: 'description',
  enabled: 'enabled',
  provider_id: 'providerId',
  max_turns: 'maxTurns',
  closing_answer: 'closingAnswer',
} as const;
const group = 'dynamic_agents';
const wholeName = 'subagent_orchestrator';

/** A whole configuration from either spelling, the defaults filled in. Throws `invalid_options` naming what is wrong. */
export function managerConfig(input: ManagerConfigInput = {}): ManagerConfig {
  return parseOptions(managerConfigSchema, inOurNames(input), 'subagent manager');
}

/**
 * A configuration in either spelling whose agents are judged one by one: what is wrong with one leaves it out, and nothing
 * else. Throws `invalid_options` for everything but its agents.
 */
export function judgedConfig(input: ManagerConfigInput): {
  readonly config: ManagerConfig;
  readonly faults: readonly StaticFault[];
} {
  const given = inOurNames(input);
  const faults: StaticFault[] = [];
  if (!isRecord(given) || !Array.isArray(given['agents'])) {
    return { config: managerConfig(input), faults };
  }
  const known = new Set<unknown>();
  const agents = given['agents'].filter((agent: unknown, index) => {
    const agentName = isRecord(agent) ? agent['name'] : undefined;
    const name =
      typeof agentName === 'string' && agentName.trim() !== '' ? agentName : `number ${index + 1}`;
    const whys = [
      ...optionFaults(staticAgent, agent, `agents.${index}`),
      ...(typeof agentName === 'string' && known.has(agentName)
        ? ['another agent has this name']
        : []),
    ];
    // One that is wrong takes its name from no other.
    if (whys.length === 0) known.add(agentName);
    faults.push(...whys.map((why) => ({ name, why })));
    return whys.length === 0;
  });
  return {
    config: parseOptions(managerConfigSchema, { ...given, agents }, 'subagent manager'),
    faults,
  };
}

function inOurNames(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const whole = input[wholeName];
  if (isRecord(whole)) return inOurNames(whole);
  const found: Record<string, unknown> = {};
  const put = (ours: string, value: unknown): void => {
    if (value === undefined) return;
    if (!(ours in found)) found[ours] = value;
    else {
      throw new TroupeError(
        'invalid_options',
        `subagent manager: ${ours} is said twice, ${describe(found[ours])} and ${describe(value)}`,
      );
    }
  };
  const shared: Readonly<Record<string, string>> = {
    ...groupNames,
    enable_dynamic: 'dynamicEnabled',
  };
  const read = (from: Record<string, unknown>, names: Readonly<Record<string, string>>): void => {
    for (const [key, value] of Object.entries(from)) {
      if (key === group && isRecord(value) && from === input) {
        read(value, { ...shared, enabled: 'dynamicEnabled' });
      } else if (key === 'execution_timeout') put('executionTimeoutMs', inMs(value));
      else put(names[key] ?? key, value);
    }
  };
  read(input, { ...topNames, ...shared });
  const { agents } = found;
  if (Array.isArray(agents)) found['agents'] = agents.map(agentInOurNames);
  return found;
}

function agentInOurNames(agent: unknown): unknown {
  if (!isRecord(agent)) return agent;
  const names: Readonly<Record<string, string>> = agentNames;
  return Object.fromEntries(
    Object.entries(agent)
      // The source stores null for a field that is not set.
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [names[key] ?? key, value]),
  );
}

function inMs(value: unknown): unknown {
  return typeof value === 'number' && value > 0 ? secondsAsMs(value) : value;
}

/** The configuration as the source writes it; `managerConfig` reads it back to the same. */
export function sourceConfig(config: ManagerConfig): Readonly<Record<string, unknown>> {
  const { executionTimeoutMs: ms, dynamicEnabled } = config;
  return {
    [wholeName]: {
      ...inTheirNames(config, topNames),
      agents: config.agents.map((agent) => inTheirNames(agent, agentNames)),
      [group]: {
        enabled: dynamicEnabled,
        ...inTheirNames(config, groupNames),
        execution_timeout: ms > 0 ? ms / 1_000 : ms,
      },
    },
  };
}

function inTheirNames<Value extends object>(
  value: Value,
  names: Readonly<Record<string, keyof Value>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(names).map(([theirs, ours]) => [theirs, value[ours]]));
}
