// Owns one subagent of a session in its manager's registry: its definition, its memory, its status (A20, A23).
import { z } from 'zod';
import { plainCopy } from '../../agent/plain-copy.ts';
import type { StoredMessage } from '../../agent/prompt/preamble.ts';
import { optionFaults, parseOptions } from '../../base/parse-options.ts';
import { historySchema } from '../../tasks/task.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { turnFields } from './config.ts';
import { allowedOf, type ToolLists } from './tool-lists.ts';

/** The status names of the source. */
export const statusSchema = z.enum(['IDLE', 'RUNNING', 'COMPLETED', 'FAILED']);
/** What an agent does, or how its last run ended. */
export type SubagentStatus = z.infer<typeof statusSchema>;

/** What a subagent is made of. */
export type SubagentConfig = {
  /** The agent's name. */
  readonly name: string;
  /** Its own prompt. Default: empty. */
  readonly systemPrompt: string;
  /** Null for every tool registered on the supervisor. */
  readonly tools: readonly string[] | null;
  /** Names of the supervisor's skills; null, the default, for none. */
  readonly skills: readonly string[] | null;
  /** Which provider it thinks with; null, the default, for the main agent's. */
  readonly providerId: string | null;
  /** What it is for, for the main agent's model. Default: empty. */
  readonly description: string;
  /** An absolute folder to work in; null for one of its own. */
  readonly workdir: string | null;
  /** Milliseconds. Default 10 minutes; a run applies it only if it was set explicitly. */
  readonly executionTimeoutMs: number;
  /** Responses of its model in one run; null, the default, for the supervisor's limit. */
  readonly maxTurns: number | null;
  /** One model call more when its turns are used up, for a closing answer. Default false. */
  readonly closingAnswer: boolean;
};

/** A configuration as it is given: only the name is required. */
export type SubagentInput = Partial<SubagentConfig> & {
  /** The agent's name. */
  readonly name: string;
  /** Examples of dialogue ahead of each run, after what it remembers. */
  readonly examples?: readonly StoredMessage[];
};

const lists = z.array(z.string().min(1)).nullable();

const schema = z.strictObject({
  name: z.string(),
  systemPrompt: z.string().default(''),
  tools: lists.default(null),
  skills: lists.default(null),
  providerId: z.string().nullable().default(null),
  description: z.string().default(''),
  workdir: z.string().nullable().default(null),
  executionTimeoutMs: z.number().default(600_000),
  ...turnFields,
  examples: historySchema.optional(),
});

/** A configuration with its defaults. Throws `invalid_options`. */
export function subagentConfig(input: SubagentInput): SubagentConfig {
  const { examples: _, ...config } = parseOptions(schema, input, 'subagent');
  return config;
}

/** Everything that is wrong with a configuration. */
export function subagentFaults(input: SubagentInput): readonly string[] {
  return optionFaults(schema, input, 'subagent');
}

/** A run of a subagent that is not over. */
export type SubagentRun = {
  /** Its task id; null in the foreground, which has none. */
  readonly taskId: string | null;
  /** Resolves when it is over, in the background with its end on the registry. */
  interrupt(reason: string): Promise<unknown>;
};

/** Which part requested a subagent. */
export type AskedBy = 'program' | 'model';

/** What a subagent was made with; its definition follows from this and the manager's configuration. */
export type SubagentMaking = {
  readonly config: SubagentConfig;
  /** Undefined unless it was set explicitly, whatever the configuration shows. */
  readonly executionTimeoutMs: number | undefined;
  readonly examples: readonly StoredMessage[] | undefined;
  /** The manager's lists as they were then. */
  readonly lists: ToolLists;
  /** A model may choose among fewer folders than the program, and the tools it names are a request. */
  readonly askedBy: AskedBy;
  /** Its folder, chosen when it is first needed. */
  workspace: string | null;
};

/** One agent, as its manager has it. */
export type Subagent = {
  /** The agent's name. */
  readonly name: string;
  /** Configured by the operator, or created by the main agent. */
  readonly kind: 'static' | 'dynamic';
  /** What it was made with. */
  made: SubagentMaking;
  /** What hands work to it. */
  handoff: AnyTool;
  /** Whether it stays when a run of the main agent ends. */
  isProtected: boolean;
  /** What it does, or how its last run ended. */
  status: SubagentStatus;
  /** The messages it remembers. */
  history: readonly StoredMessage[];
  /** Counts what made it forget: a run that began before is not remembered. */
  generation: number;
  /** Its run; null while it is idle. */
  run: SubagentRun | null;
};

/** The creator of an agent: for a model, the agent that it belongs to, whose id is empty for a loop of the program. */
export type Creator = { readonly askedBy: AskedBy; readonly agentId?: string };

/** What an agent is made with; what no subagent may have is left out of its tools. Throws `invalid_options`. */
export function makingOf(
  input: SubagentInput,
  lists: ToolLists,
  askedBy: AskedBy = 'program',
): SubagentMaking {
  const { executionTimeoutMs } = input;
  const asked = subagentConfig(input);
  const examples = plainCopy(input.examples, {
    what: 'subagent',
    field: 'examples',
    code: 'invalid_options',
  });
  const tools = asked.tools && allowedOf(asked.tools, lists);
  const config = { ...asked, tools };
  return { config, executionTimeoutMs, examples, lists, askedBy, workspace: null };
}

/** One that has done nothing yet. */
export function newSubagent(
  made: SubagentMaking,
  is: Pick<Subagent, 'kind' | 'handoff' | 'isProtected'>,
): Subagent {
  const { name } = made.config;
  return { name, made, ...is, status: 'IDLE', history: [], generation: 0, run: null };
}

/** What came of creating an agent. */
export type CreatedSubagent = {
  readonly toolName: string;
  readonly tool: AnyTool;
  /** Why its folder is not the one that was asked for, and which tools its creator may not use. */
  readonly warning: string | undefined;
};

/** What came of removing an agent. */
export type Removal = {
  readonly name: string;
  /** Its run was on and was interrupted: the id of its background task, or null for one in the foreground. */
  readonly interrupted?: { readonly taskId: string | null };
};
