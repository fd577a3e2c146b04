// Owns the options of a ReAct agent: their shape, their defaults, their check (D13).
import { z } from 'zod';
import { type AgentDefinition, type ModelRef, runFields } from '../../../agent/definition.ts';
import type { HookReference } from '../../../agent/hooks.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import type { AgentBaseOptions } from '../base/agent-base-options.ts';
import { Memory } from '../base/memory.ts';
import type { Formatter } from './formatter.ts';
import {
  type KnowledgeBase,
  type LongTermMemory,
  type LongTermMemoryMode,
  longTermMemoryModes,
} from './long-term-memory.ts';
import type { PlanKeeper } from './plan-notebook.ts';
import type { TaskRunner } from './runner.ts';
import { Toolkit } from './toolkit.ts';

export const defaultMaxIters = 10;

/** What of a definition the agent does not make itself. */
type ReplySettings = Omit<
  AgentDefinition,
  'name' | 'prompt' | 'model' | 'tools' | 'maxTurns' | 'hooks' | 'initialMessages' | 'outputSchema'
>;

/** What a ReAct agent is made with. */
export type ReActAgentOptions = AgentBaseOptions & {
  /** Runs the replies: a supervisor. */
  readonly supervisor: TaskRunner;
  /** The prompt of each of its replies. */
  readonly systemPrompt: string;
  /** Default: the supervisor's. */
  readonly model?: ModelRef;
  /** Makes the conversation of a model call from its memory. Default: the one of the package. */
  readonly formatter?: Formatter;
  /** Default: no tools. */
  readonly toolkit?: Toolkit;
  /** Default: an empty one. */
  readonly memory?: Memory;
  /** Memory that outlives the agent. Default: none. */
  readonly longTermMemory?: LongTermMemory;
  /** Default `both`. */
  readonly longTermMemoryMode?: LongTermMemoryMode;
  /** Asked before each reply, with the input's text. */
  readonly knowledge?: readonly KnowledgeBase[];
  /** Where it keeps a plan, whose tools its model gets. Default: none. */
  readonly planNotebook?: PlanKeeper;
  /** Default false: tools run one after another. */
  readonly parallelToolCalls?: boolean;
  /** Model responses of a reply, without the closing one. Default 10. */
  readonly maxIters?: number;
  /** Gives the model a tool that switches tool groups. Default false. */
  readonly enableMetaTool?: boolean;
  /** Prints what was retrieved, and the plan's hints. Default false. */
  readonly printHintMsg?: boolean;
  /** Further hooks of its runs; a module's run in the agent's thread. They come after those that were registered. */
  readonly hooks?: HookReference | readonly HookReference[];
  /** Whatever else a definition may say of its runs: clocks, temperature, workspace, denied tools, … */
  readonly run?: ReplySettings;
};

const has = (...methods: readonly string[]) =>
  z.custom<object>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof Reflect.get(value, name) === 'function'),
    `expected an object with ${methods.join(', ')}`,
  );

const ltm = has('record', 'retrieve', 'recordToMemory', 'retrieveFromMemory');

const schema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -, at most 64'),
  id: z.string().min(1).optional(),
  output: z.unknown().optional(),
  clock: z.unknown().optional(),
  supervisor: has('start', 'on', 'transcript'),
  systemPrompt: z.string(),
  model: runFields.model,
  formatter: z.custom((value) => typeof value === 'function', 'expected a function').optional(),
  toolkit: z.instanceof(Toolkit).optional(),
  memory: z.instanceof(Memory).optional(),
  longTermMemory: ltm.optional(),
  longTermMemoryMode: z.enum(longTermMemoryModes).optional(),
  knowledge: z.array(has('retrieve')).optional(),
  planNotebook: has('tools', 'hint').optional(),
  parallelToolCalls: z.boolean().optional(),
  maxIters: z.number().int().min(1).optional(),
  enableMetaTool: z.boolean().optional(),
  printHintMsg: z.boolean().optional(),
  hooks: runFields.hooks,
  // Judged with the definition it becomes part of, by the supervisor.
  run: z.looseObject({}).optional(),
});

/** Throws `invalid_options` naming the field and the value seen. */
export function checkReActOptions(options: ReActAgentOptions, what: string): void {
  parseOptions(schema, options, what);
}
